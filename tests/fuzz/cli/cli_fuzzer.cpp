// Random command lines, over samples and over samples with something wrong in them, against nest-plan, each
// in a process of its own with limits on memory and CPU time. What is promised whatever is asked: an exit
// code that --help names, JSON on standard output with --json, no crash, nothing called internal, no file but
// those asked for. Every case has a seed of its own: --seed N --cases 1 repeats it.
//
//   fuzz-cli [--seconds N | --cases N] [--seed N] [--program PATH]
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "material.h"
#include "test_paths.h"

namespace fs = std::filesystem;
using nest::fuzz::damagedJson;
using nest::fuzz::damagedText;
using nest::fuzz::Dice;
using nest::fuzz::usual;
using nest::fuzz::words;
using nlohmann::json;

namespace {

constexpr rlim_t kMemory = rlim_t(2) << 30;
constexpr rlim_t kCpuSeconds = 20;

std::string readFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void writeFile(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

struct Command {
  std::string name;
  std::vector<std::string> options;  ///< as --help tells them
  std::set<int> codes;
};

struct Ran {
  int code = -1, signal = 0;
  std::string out, err;
};

class Fuzzer {
public:
  Fuzzer(fs::path program) : m_program(std::move(program)) {
    std::string folder = (fs::temp_directory_path() / "nest-cli-XXXXXX").string();
    m_folder = mkdtemp(folder.data());
    for (const char* from : {"samples", "tests/data"})
      for (const auto& entry : fs::recursive_directory_iterator(fs::path(NEST_SOURCE_DIR) / from))
        if (entry.is_regular_file() && entry.file_size() < 200000) m_files.push_back(entry.path());
    std::sort(m_files.begin(), m_files.end());
    // Scenarios refer to models beside them.
    fs::copy(fs::path(NEST_SOURCE_DIR) / "samples", m_folder / "in", fs::copy_options::recursive);
    for (const fs::path& f : m_files)
      if (f.string().ends_with(".nest.json")) m_scenarios.push_back(f);
    std::stable_partition(m_scenarios.begin(), m_scenarios.end(),
                          [](const fs::path& f) { return f.filename().string().find("teaching") == 0; });
    const std::string help = run({"--help"}, {}).out;
    const char* codes = "[:;]\\s(\\d+)\\s";
    const auto endOf = [](const std::string& text) {
      return text.substr(std::min(text.find("Exit codes:"), text.size()));
    };
    for (const std::string& name : matches(help, "\n  ([a-z]+)  +[a-z]")) {
      Command c{name, {}, {}};
      const std::string text = run({name, "--help"}, {}).out;
      c.options = matches(text, "(--[a-z-]+|-o)");
      std::sort(c.options.begin(), c.options.end());
      c.options.erase(std::unique(c.options.begin(), c.options.end()), c.options.end());
      for (const std::string& all : {endOf(help), endOf(text)})
        for (const std::string& code : matches(all, codes)) c.codes.insert(std::stoi(code));
      m_commands.push_back(std::move(c));
    }
    run({"solve", "in/teaching-6-layers-2x2.nest.json", "-o", "plan.json"}, {});
    m_plan = readFile(m_folder / "plan.json");
  }
  ~Fuzzer() { fs::remove_all(m_folder); }

  std::size_t commandCount() const { return m_commands.size(); }
  int slow() const { return m_slow; }
  const std::map<int, int>& codes() const { return m_codes; }

  /// What is wrong with the case of this seed; empty: nothing.
  std::string fault(std::uint64_t seed) {
    Dice dice(seed);
    fs::remove_all(m_folder / "out");
    fs::create_directory(m_folder / "out");
    m_inputs.clear();
    const Command& command = dice.of(m_commands);
    std::vector<std::string> line = {command.name};
    const bool scenario = command.name != "check" && command.name != "import" && command.name != "formats" &&
                          command.name != "fields";
    if (command.name == "study") line.push_back(dice.chance(0.9) ? "scaling" : dice.of(words()));
    if (!dice.chance(0.03)) line.push_back(input(dice, scenario));
    if (command.name == "evaluate" || (command.name == "export" && dice.chance(0.5)))
      line.push_back(plan(dice));
    if (command.name == "why")
      for (int n = dice.below(3); n > 0; --n) line.push_back(dice.of(words()));
    while (dice.chance(scenario ? 0.02 : 0.4)) line.push_back(input(dice, false));
    for (const auto& [name, needed] :
         {std::pair{"export", "--as"}, {"inverse", "--time"}, {"sweep", "--set"}})
      if (command.name == name && !dice.chance(0.05)) option(dice, needed, line);
    for (int n = dice.below(3); n > 0 && !command.options.empty(); --n)
      option(dice, dice.of(command.options), line);
    if (dice.chance(0.4)) option(dice, "--json", line);
    if (dice.chance(0.03)) std::swap(line[dice.below(line.size())], line.back());
    if (dice.chance(0.05)) line.push_back(dice.of(words()));

    const std::string in =
        dice.chance(0.5) && !m_inputs.empty() ? m_inputs.front() : std::string("/dev/null");
    const Ran r = run(line, in);
    ++m_codes[r.signal ? -r.signal : r.code];
    const std::string what = judge(command, line, r);
    return what.empty() ? what
                        : what + "\n  " + quoted(line) + (in == "/dev/null" ? "" : " < " + in) + "\n" +
                              r.err.substr(0, 600);
  }

  /// The files of the last case stay, for who looks into it.
  std::string keep() {
    const fs::path to = m_folder.string() + "-case";
    fs::remove_all(to);
    fs::copy(m_folder, to, fs::copy_options::recursive);
    return to.string();
  }

private:
  /// What the first group stands for, wherever the expression matches.
  static std::vector<std::string> matches(const std::string& text, const char* expression) {
    const std::regex what(expression);
    std::vector<std::string> out;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), what); it != std::sregex_iterator(); ++it)
      out.push_back((*it)[1]);
    return out;
  }
  static std::string quoted(const std::vector<std::string>& line) {
    std::string out = "nest-plan";
    for (const std::string& word : line) {
      out += " '";
      for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
      out += '\'';
    }
    return out;
  }

  /// A file, whole or damaged, in the working folder.
  std::string input(Dice& dice, bool scenario) {
    // Most often the smallest, which every command answers at once.
    const fs::path& from = scenario && dice.chance(0.4)
                               ? m_scenarios.front()
                               : dice.of(scenario && !dice.chance(0.05) ? m_scenarios : m_files);
    std::string text = readFile(from);
    const bool isJson = from.extension() == ".json";
    if (dice.chance(0.5))
      text = isJson && !dice.chance(0.1) ? damagedJson(dice, text)
                                         : damagedText(dice, text, readFile(dice.of(m_files)));
    if (scenario && isJson) text = withDeadline(text);
    const std::string file =
        "in/case" + std::to_string(m_inputs.size()) + (scenario ? ".nest.json" : from.extension().string());
    writeFile(m_folder / file, text);
    m_inputs.push_back(file);
    return dice.chance(0.03) ? std::string("-") : dice.chance(0.02) ? std::string("absent.json") : file;
  }

  /// A plan of the teaching sample, whole or damaged.
  std::string plan(Dice& dice) {
    const std::string name = "in/plan" + std::to_string(m_inputs.size()) + ".json";
    writeFile(m_folder / name, dice.chance(0.5) ? damagedJson(dice, m_plan) : m_plan);
    return name;
  }

  /// Large searches end by themselves: what is asked here is not how fast they are.
  static std::string withDeadline(const std::string& text) {
    json j = json::parse(text, nullptr, false);
    if (!j.is_object() || (j.contains("search") && !j["search"].is_object())) return text;
    if (!j["search"].contains("deadline_s")) j["search"]["deadline_s"] = 0.5;
    try {
      return j.dump();
    } catch (const json::exception&) {
      return text;
    }
  }

  void option(Dice& dice, const std::string& name, std::vector<std::string>& line) {
    if (std::find(line.begin(), line.end(), name) != line.end() && !dice.chance(0.05)) return;
    line.push_back(name);
    if (name == "-o" || name == "--output" || name == "--calibrated" || name == "--csv")
      line.push_back("out/result");
    else if (name == "--into" || name == "--published" || name == "--optima")
      line.push_back(input(dice, name == "--into"));
    else if (const auto it = usual().find(name); it == usual().end() || dice.chance(0.15))
      line.push_back(dice.of(words()));
    else if (const std::string& value = dice.of(it->second); !value.empty())
      line.push_back(value);
  }

  std::string judge(const Command& command, const std::vector<std::string>& line, const Ran& r) {
    if (r.signal == SIGXCPU || r.signal == SIGKILL) {
      ++m_slow;
      std::fprintf(stderr, "slow (%d s of CPU time): %s\n", static_cast<int>(kCpuSeconds),
                   quoted(line).c_str());
      return {};
    }
    if (r.signal) return "ended by signal " + std::to_string(r.signal);
    if (!command.codes.count(r.code) && line.front() == command.name)
      return "exit code " + std::to_string(r.code) + ", which its --help does not name";
    if ((r.out + r.err).find("[internal]") != std::string::npos) return "an internal error";
    if (r.code == 2 && r.err.empty() && r.out.empty()) return "refused without a word";
    const bool wantsJson = std::find(line.begin(), line.end(), "--json") != line.end();
    const bool helps = std::find(line.begin(), line.end(), "--help") != line.end();
    if (wantsJson && !helps && !r.out.empty() && line.front() != "formats" &&
        json::parse(r.out, nullptr, false).is_discarded())
      return "--json wrote what is no JSON:\n" + r.out.substr(0, 300);
    for (const auto& entry : fs::directory_iterator(m_folder / "out"))
      if (entry.path().filename().string().find("result") != 0 || entry.path().extension() == ".part")
        return "left a file behind: " + entry.path().filename().string();
    return {};
  }

  Ran run(const std::vector<std::string>& line, const std::string& in) {
    const fs::path out = m_folder / "stdout", err = m_folder / "stderr";
    std::vector<char*> argv = {const_cast<char*>(m_program.c_str())};
    for (const std::string& word : line) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      const auto open_ = [](const char* path, int flags, int as) { dup2(open(path, flags, 0644), as); };
      if (chdir(m_folder.c_str()) != 0) _exit(126);
      open_(in.empty() ? "/dev/null" : in.c_str(), O_RDONLY, 0);
      open_(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 1);
      open_(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 2);
      const rlimit memory{kMemory, kMemory}, cpu{kCpuSeconds, kCpuSeconds + 2}, core{0, 0},
          size{1 << 28, 1 << 28};
      setrlimit(RLIMIT_AS, &memory);
      setrlimit(RLIMIT_CPU, &cpu);
      setrlimit(RLIMIT_CORE, &core);
      setrlimit(RLIMIT_FSIZE, &size);
      execv(argv[0], argv.data());
      _exit(126);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Ran r;
    if (WIFSIGNALED(status)) r.signal = WTERMSIG(status);
    if (WIFEXITED(status)) r.code = WEXITSTATUS(status);
    r.out = readFile(out);
    r.err = readFile(err);
    return r;
  }

  fs::path m_program, m_folder;
  std::string m_plan;
  std::vector<fs::path> m_files, m_scenarios;
  std::vector<Command> m_commands;
  std::vector<std::string> m_inputs;
  std::map<int, int> m_codes;
  int m_slow = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> given = {
      {"--seconds", "0"}, {"--cases", "0"}, {"--seed", "1"}, {"--program", NEST_BINARY_DIR "/nest-plan"}};
  for (int i = 1; i < argc; i += 2) {
    if (!given.count(argv[i]) || i + 1 == argc) {
      std::fprintf(stderr, "usage: fuzz-cli [--seconds N | --cases N] [--seed N] [--program PATH]\n");
      return 2;
    }
    given[argv[i]] = argv[i + 1];
  }
  const double seconds = std::stod(given["--seconds"]);
  const long cases =
      seconds > 0 ? 0 : std::max(1L, std::stol(given["--cases"]) > 0 ? std::stol(given["--cases"]) : 200);
  const std::uint64_t first = std::stoull(given["--seed"]);
  Fuzzer fuzzer(fs::absolute(given["--program"]));
  if (fuzzer.commandCount() < 8) {
    std::fprintf(stderr, "%s tells no commands\n", given["--program"].c_str());
    return 2;
  }
  std::printf("command lines from seed %llu\n", static_cast<unsigned long long>(first));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  long tried = 0;
  int bad = 0;
  while (cases > 0 ? tried < cases : std::chrono::steady_clock::now() < end) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(tried++);
    const std::string what = fuzzer.fault(seed);
    if (what.empty()) continue;
    std::printf("seed %llu: %s\n  its files: %s\n", static_cast<unsigned long long>(seed), what.c_str(),
                fuzzer.keep().c_str());
    if (++bad == 5) break;
  }
  std::printf("%ld command lines, %d faults, %d slow; ended with", tried, bad, fuzzer.slow());
  for (const auto& [code, times] : fuzzer.codes()) std::printf(" %d: %d", code, times);
  std::printf("\n");
  return bad > 0 ? 1 : 0;
}
