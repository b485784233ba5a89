#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace nest {

bool isGzip(std::string_view begin);

/// Unpacks what a source of bytes hands out, member after member (RFC 1952).
class GzipReader {
public:
  /// `packed`: the number of bytes, 0 at the end, -1 with errno.
  explicit GzipReader(std::function<std::ptrdiff_t(char* into, std::size_t most)> packed);
  ~GzipReader();

  /// As `packed`; -1 with errno EBADMSG where the data is damaged, ENODATA where it ends too early.
  std::ptrdiff_t next(char* into, std::size_t most);

private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace nest
