#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "units/quantity.h"

/// This process, its standard streams and its children.
namespace nest {

/// The most memory that this process has held so far.
Bytes peakMemory();

enum class StandardStream { Output, Error };
bool isTerminal(StandardStream);
/// Closes standard output; 0, or the errno of what could not be written.
int closeStandardOutput();

/// A file that may grow no further, and a pipe that nobody reads, are errors of what writes to them and not
/// the end of the process. To be called first in main().
void surviveFullFiles();
void surviveClosedPipes();

/// Where the running program stands; empty if that is not known.
std::string ownProgram();
/// Becomes another program, found by PATH unless the first word is a path. Returns only on failure: an errno.
int becomeProgram(std::vector<std::string> words);

/// What a child has said on both streams. code 127: there is no such program; −1: it was ended by a signal.
struct ChildReply {
  int code = -1;
  std::string text;
};
/// Runs a program found by PATH with nothing on its standard input and waits for it. `shouldEnd` is asked ten
/// times a second; once it says so the child is asked to end.
ChildReply runProgram(const std::vector<std::string>& words, const std::function<bool()>& shouldEnd);

/// While it lives, the first interrupt (Ctrl+C) or request to end calls `onInterrupt` in a thread of its own;
/// the second ends the process. One at a time.
class Interrupts {
public:
  explicit Interrupts(std::function<void()> onInterrupt);
  Interrupts(const Interrupts&) = delete;
  ~Interrupts();

private:
  std::jthread m_listener;
};

}  // namespace nest
