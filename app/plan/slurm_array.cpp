#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "commands.h"
#include "files.h"
#include "files/file_writer.h"
#include "platform/appending_file.h"
#include "platform/process.h"
#include "sharded.h"
#include "text/json_layout.h"
#include "units/text.h"

namespace nest::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience(3);

/// Runs Slurm's programs, which answer late or not at all while its controller is away.
class Slurm {
public:
  explicit Slurm(Control control) : m_control(std::move(control)) {}

  /// The user has had enough of waiting.
  bool isOver() const { return m_control.shouldStop(); }
  /// Runs a program found by PATH and waits for it. Says once that there is no answer, and once that there is
  /// again.
  ChildReply run(const std::vector<std::string>& words);
  /// Says what a program says that cannot reach the controller.
  void sayAway(const std::string& why);

private:
  Control m_control;
  bool m_isAway = false;  ///< and that was said
};

ChildReply Slurm::run(const std::vector<std::string>& words) {
  const auto begin = std::chrono::steady_clock::now();
  ChildReply reply = runProgram(words, [&] {
    if (std::chrono::steady_clock::now() - begin > kPatience)
      sayAway(words[0] + " has had no answer for " + std::to_string(kPatience.count()) + " s");
    return isOver();
  });
  if (reply.code == 0 && std::exchange(m_isAway, false)) std::cerr << "Slurm answers again\n";
  return reply;
}

void Slurm::sayAway(const std::string& why) {
  if (!std::exchange(m_isAway, true))
    std::cerr << why << "; Slurm's controller may be down. Waiting for it; Ctrl+C stops waiting\n";
}

Diagnostic trouble(std::string message, std::string remedy) {
  return error("slurm", {"", 0, 0, ""}, std::move(message), std::move(remedy));
}

std::string quoted(const std::string& s) {
  std::string out = "'";
  for (const char c : s) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + '\'';
}

/// What is known of an array that was submitted: BASE.slurm.json.
struct State {
  std::string key;
  int tasks = 0;
  std::string job;
};

std::string statePath(const std::string& base) {
  return base + ".slurm.json";
}

std::optional<State> readState(const std::string& base) {
  const auto text = readTextFile(statePath(base));
  if (!text) return std::nullopt;
  const auto j = nlohmann::json::parse(*text, nullptr, false);
  if (!j.is_object() || j.value("format", "") != "nest-slurm-sweep" || !j["key"].is_string() ||
      !j["tasks"].is_number_integer() || !j["job"].is_string())
    return std::nullopt;
  return State{j["key"], j["tasks"], j["job"]};
}

Diagnostics writeState(const std::string& base, const State& s) {
  return writeFile(statePath(base), layOut({{"format", "nest-slurm-sweep"},
                                            {"version", 1},
                                            {"key", s.key},
                                            {"tasks", s.tasks},
                                            {"job", s.job}}));
}

/// The shards that are not solved whole; errors where a journal is of other work.
Reading<std::vector<int>> openShards(const ShardedWork& work, const std::string& base, int tasks) {
  Reading<std::vector<int>> result;
  std::vector<int> open;
  for (int n = 1; n <= tasks; ++n) {
    const std::string path = journalPath(base, {n, tasks});
    std::error_code ec;
    if (!fs::exists(path, ec) || fs::file_size(path, ec) == 0) {
      open.push_back(n);
      continue;
    }
    const auto known = work.look(path);
    if (!known)
      result.diagnostics.insert(result.diagnostics.end(), known.diagnostics.begin(), known.diagnostics.end());
    else if (known->rows < Shard{n, tasks}.sizeOf(work.size))
      open.push_back(n);
  }
  if (!hasErrors(result.diagnostics)) result.value = std::move(open);
  return result;
}

/// "1-4,7,9-10"
std::string ranges(const std::vector<int>& ascending) {
  std::string out;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t last = i;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(ascending[i]);
    if (last > i) out += '-' + std::to_string(ascending[last]);
    i = last + 1;
  }
  return out;
}

std::string script(const ShardedWork& work, const ShardOptions& o, int tasks, const std::vector<int>& open) {
  const std::string self = ownProgram();
  std::string out = "#!/bin/sh\n#SBATCH --job-name=nest-" + work.noun + "\n#SBATCH --array=" + ranges(open) +
                    "\n#SBATCH --cpus-per-task=" + std::to_string(o.threads) + "\n#SBATCH --output=\"" +
                    o.base + ".slurm-%a.log\"\n#SBATCH --open-mode=append\n#SBATCH --requeue\n";
  for (const std::string& option : o.sbatch) out += "#SBATCH " + option + '\n';
  out += "exec " + quoted(self.empty() ? "nest-plan" : self);
  for (const std::string& w : work.words) out += ' ' + quoted(w);
  return out + " -o " + quoted(o.base) + " --threads " + std::to_string(o.threads) +
         " --shard \"$SLURM_ARRAY_TASK_ID/" + std::to_string(tasks) + "\"\n";
}

/// The journals of these shards get their heads, so that a task whose scenario has changed since then refuses
/// it.
Diagnostics beginJournals(const ShardedWork& work, const std::string& base, int tasks,
                          const std::vector<int>& open) {
  for (const int n : open) {
    auto journal = AppendingFile::open(journalPath(base, {n, tasks}));
    if (!journal) return journal.diagnostics;
    if (journal->size() > 0) continue;
    if (Diagnostics failed = journal->append(work.head); !failed.empty()) return failed;
    if (Diagnostics failed = journal->bringToDisk(); !failed.empty()) return failed;
  }
  return {};
}

/// The job's id; empty after what is wrong was reported.
std::string submit(Slurm& slurm, const ShardedWork& work, const ShardOptions& o, int tasks,
                   const std::vector<int>& open) {
  const std::string path = o.base + ".slurm.sh";
  Diagnostics failed = beginJournals(work, o.base, tasks, open);
  if (failed.empty()) failed = writeTextFile(path, script(work, o, tasks, open));
  if (!failed.empty()) return report(failed), "";
  const ChildReply reply = slurm.run({"sbatch", "--parsable", path});
  const std::string id = reply.text.substr(0, reply.text.find_first_of(";\n"));
  if (reply.code == 0 && !id.empty() && id.find_first_not_of("0123456789") == std::string::npos) return id;
  if (slurm.isOver())
    report({trouble("interrupted before sbatch answered",
                    "squeue --me shows whether Slurm accepted the array; then run the same command again")});
  else
    report({trouble("sbatch does not take the array: " + reply.text,
                    reply.code == 127 ? "run it on a machine of the cluster, or without --submit"
                                      : path + " is what was submitted; --sbatch adds options")});
  return "";
}

struct Queued {
  enum class State { Gone, Pending, Running, Unknown } state = State::Unknown;
  std::string reason;  ///< of Pending, in Slurm's words
};

/// Whether some of the job waits or runs. A controller that does not answer says nothing about the job.
Queued queued(Slurm& slurm, const std::string& job) {
  using enum Queued::State;
  const ChildReply reply = slurm.run({"squeue", "--noheader", "--jobs=" + job, "--format=%T|%r"});
  if (reply.code == 127 || reply.text.find("Invalid job id") != std::string::npos) return {Gone, {}};
  if (reply.code != 0) {
    if (!slurm.isOver()) slurm.sayAway("squeue: " + reply.text.substr(0, reply.text.find('\n')));
    return {};
  }
  if (reply.text.empty()) return {Gone, {}};
  std::string reason;
  for (std::size_t begin = 0; begin < reply.text.size();) {
    const std::size_t end = std::min(reply.text.find('\n', begin), reply.text.size());
    const std::string line = reply.text.substr(begin, end - begin);
    if (!line.starts_with("PENDING|")) return {Running, {}};
    if (reason.empty()) reason = line.substr(line.find('|') + 1);
    begin = end + 1;
  }
  return {Pending, reason};
}

/// Lines of the journals without their heads.
std::size_t rowsIn(const std::string& base, int tasks) {
  std::size_t rows = 0;
  for (int n = 1; n <= tasks; ++n) {
    std::size_t lines = 0;
    (void)readLines(journalPath(base, {n, tasks}),
                    [&](std::string_view, bool whole) { return lines += whole, true; });
    rows += lines > 0 ? lines - 1 : 0;
  }
  return rows;
}

std::string counted(std::size_t n) {
  return text::count(static_cast<long long>(n));
}

/// Says how far the job is, and why it does not run. False: the user has enough of waiting.
bool waitFor(Slurm& slurm, const std::string& job, const std::string& base, int tasks, std::size_t all) {
  std::size_t last = all + 1;
  std::string reason;
  for (int pause = 200;; pause = std::min(pause * 2, 3000)) {
    const Queued now = queued(slurm, job);
    if (slurm.isOver()) return false;
    if (now.state == Queued::State::Gone) return true;
    if (const std::size_t rows = rowsIn(base, tasks); rows != last) {
      std::cerr << "job " << job << ": " << counted(rows) << " of " << counted(all) << " rows\n";
      last = rows;
    }
    // "None": Slurm has not looked at it yet.
    if (now.state == Queued::State::Pending && now.reason != "None" && now.reason != reason)
      std::cerr << "job " << job << ": pending; Slurm's reason: " << (reason = now.reason) << '\n';
    for (int waited = 0; waited < pause && !slurm.isOver(); waited += 20)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (slurm.isOver()) return false;
  }
}

/// The number of shards: it stays as it was once there are journals.
Reading<int> tasksOf(const ShardedWork& work, const ShardOptions& o, const std::optional<State>& state) {
  const int usual = static_cast<int>(std::min<std::size_t>(work.size, 32));
  if (!state) return {o.tasks > 0 ? std::min<int>(o.tasks, static_cast<int>(work.size)) : usual, {}};
  const auto begun = [&](std::string message) {
    return Reading<int>{std::nullopt,
                        {error(work.noun + "-different", {statePath(o.base), 0, 0, ""}, std::move(message),
                               "give another -o, or --restart to begin again")}};
  };
  if (state->key != work.key) return begun("this array is of another " + work.noun);
  if (o.tasks > 0 && o.tasks != state->tasks)
    return begun("the " + work.noun + " was begun with " + std::to_string(state->tasks) + " tasks");
  return {state->tasks, {}};
}

/// Ends the job, if any, and removes its journals and state. False: the user has enough of waiting for its
/// end.
bool forget(Slurm& slurm, const std::string& base, const State& state) {
  if (!state.job.empty()) {
    slurm.run({"scancel", state.job});
    for (int tries = 0; tries < 100 && !slurm.isOver(); ++tries) {
      if (queued(slurm, state.job).state == Queued::State::Gone) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (slurm.isOver()) return false;
  }
  std::error_code ignored;
  for (int n = 1; n <= state.tasks; ++n) fs::remove(journalPath(base, {n, state.tasks}), ignored);
  fs::remove(statePath(base), ignored);
  return true;
}

}  // namespace

int submitArray(const ShardedWork& work, const ShardOptions& o) {
  Watch watch({});  // before anything is asked of Slurm, which may be long in answering
  Slurm slurm(watch.control());
  auto state = readState(o.base);
  const auto goesOn = [](const std::string& job, const char* how) {
    std::cerr << "job " << job << ' ' << how << "; the same command waits for it and joins the rows; scancel "
              << job << " ends it\n";
    return static_cast<int>(kStopped);
  };
  if (state && o.restarts) {
    if (!forget(slurm, o.base, *state)) return goesOn(state->job, "may go on");
    state.reset();
  }
  const auto tasks = tasksOf(work, o, state);
  if (!tasks) return report(tasks.diagnostics), kBadInput;
  auto open = openShards(work, o.base, *tasks);
  if (!open) return report(open.diagnostics), kBadInput;
  std::string job = state ? state->job : "";
  if (!open->empty()) {
    const bool isThere = !job.empty() && queued(slurm, job).state != Queued::State::Gone;
    if (slurm.isOver() && !job.empty()) return goesOn(job, "goes on");
    if (!isThere) {
      job = submit(slurm, work, o, *tasks, *open);
      if (job.empty()) return slurm.isOver() ? kStopped : kBadInput;
      if (const Diagnostics failed = writeState(o.base, {work.key, *tasks, job}); !failed.empty())
        return report(failed), kBadInput;
      std::cerr << "job " << job << ": submitted, " << open->size() << " of " << *tasks << " shards\n";
    }
    if (!o.waits) return goesOn(job, "is queued");
    if (!waitFor(slurm, job, o.base, *tasks, work.size)) return goesOn(job, "goes on");
    open = openShards(work, o.base, *tasks);
    if (!open) return report(open.diagnostics), kBadInput;
  }
  if (!open->empty()) {
    std::cerr << "job " << job << " ended with " << open->size() << " of " << *tasks << " shards unfinished ("
              << ranges(*open) << "); " << o.base
              << ".slurm-*.log show why, and the same command submits them again\n";
    return kStopped;
  }
  std::vector<std::string> journals;
  for (int n = 1; n <= *tasks; ++n) journals.push_back(journalPath(o.base, {n, *tasks}));
  return work.join(o.base, journals);
}

}  // namespace nest::cli
