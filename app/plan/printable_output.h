#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace nest::cli {

/// While it lives, whatever is written to a stream passes printable(): names and messages of foreign files
/// then cannot steer the terminal. Whole lines are passed on at once, the rest when the stream is flushed.
class PrintableOutput : std::streambuf {
public:
  explicit PrintableOutput(std::ostream&);
  ~PrintableOutput() override;
  PrintableOutput(const PrintableOutput&) = delete;
  PrintableOutput& operator=(const PrintableOutput&) = delete;

protected:
  int_type overflow(int_type) override;
  std::streamsize xsputn(const char*, std::streamsize) override;
  int sync() override;

private:
  bool pass(std::size_t bytes);

  std::ostream& m_stream;
  std::streambuf* m_target;
  std::string m_pending;
};

/// Standard output for files, byte by byte as they are; on a terminal still printable.
void writeBytes(const std::string&);

}  // namespace nest::cli
