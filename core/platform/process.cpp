#include "platform/process.h"

#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>

namespace nest {
namespace {

volatile std::sig_atomic_t interrupted = 0;
sem_t woken;  ///< by a signal, or the end of what listens

void watchSignals(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, handler);
}

void onSignal(int) {
  interrupted = 1;
  sem_post(&woken);
  watchSignals(SIG_DFL);
}

std::vector<char*> argumentsOf(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& w : words) out.push_back(const_cast<char*>(w.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

Bytes peakMemory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return Bytes(static_cast<double>(usage.ru_maxrss) * 1024);
}

bool isTerminal(StandardStream stream) {
  return isatty(stream == StandardStream::Output ? STDOUT_FILENO : STDERR_FILENO) != 0;
}

int closeStandardOutput() {
  return ::close(STDOUT_FILENO) != 0 && errno != EBADF ? errno : 0;
}

void surviveFullFiles() {
  std::signal(SIGXFSZ, SIG_IGN);
}

void surviveClosedPipes() {
  std::signal(SIGPIPE, SIG_IGN);
}

std::string ownProgram() {
  std::error_code ec;
  return std::filesystem::read_symlink("/proc/self/exe", ec).string();
}

int becomeProgram(std::vector<std::string> words) {
  execvp(words[0].c_str(), argumentsOf(words).data());
  return errno;
}

ChildReply runProgram(const std::vector<std::string>& words, const std::function<bool()>& shouldEnd) {
  std::array<int, 2> pipe{};
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, words[0].c_str(), &actions, nullptr, argumentsOf(words).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe[1]);
  ChildReply reply;
  std::array<char, 4096> buffer{};
  for (bool isEnded = false;;) {
    pollfd waiting{pipe[0], POLLIN, 0};
    const int ready = poll(&waiting, 1, 100);
    if (ready > 0) {
      const ssize_t n = read(pipe[0], buffer.data(), buffer.size());
      if (n == 0 || (n < 0 && errno != EINTR)) break;
      if (n > 0) reply.text.append(buffer.data(), static_cast<std::size_t>(n));
    }
    if (shouldEnd() && failed == 0 && !isEnded) isEnded = kill(child, SIGTERM) == 0;
  }
  close(pipe[0]);
  if (failed != 0) return {127, "it is not installed here"};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  reply.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  while (!reply.text.empty() && reply.text.back() == '\n') reply.text.pop_back();
  return reply;
}

Interrupts::Interrupts(std::function<void()> onInterrupt) {
  interrupted = 0;
  sem_init(&woken, 0, 0);
  watchSignals(onSignal);
  m_listener = std::jthread([action = std::move(onInterrupt)] {
    while (sem_wait(&woken) != 0) continue;  // EINTR
    if (interrupted) action();
  });
}

Interrupts::~Interrupts() {
  watchSignals(SIG_DFL);
  sem_post(&woken);
}

}  // namespace nest
