#include "files/gzip.h"

#include <zlib.h>

#include <array>
#include <cerrno>
#include <new>

namespace nest {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;  // of inflateInit2

}  // namespace

bool isGzip(std::string_view begin) {
  return begin.starts_with("\x1f\x8b");
}

struct GzipReader::State {
  explicit State(std::function<std::ptrdiff_t(char*, std::size_t)> source) : packed(std::move(source)) {
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~State() { inflateEnd(&stream); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Reads on where nothing is left: as next().
  std::ptrdiff_t refill() {
    if (stream.avail_in > 0) return 1;
    const std::ptrdiff_t n = packed(buffer.data(), buffer.size());
    if (n > 0) {
      stream.next_in = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_in = static_cast<uInt>(n);
    }
    return n;
  }

  std::function<std::ptrdiff_t(char*, std::size_t)> packed;
  z_stream stream{};
  std::array<char, 1 << 16> buffer;
  bool isInMember = true;  ///< else one has ended, and another may follow
  bool isDone = false;
};

GzipReader::GzipReader(std::function<std::ptrdiff_t(char*, std::size_t)> packed)
    : m_state(std::make_unique<State>(std::move(packed))) {}
GzipReader::~GzipReader() = default;

std::ptrdiff_t GzipReader::next(char* into, std::size_t most) {
  State& s = *m_state;
  s.stream.next_out = reinterpret_cast<Bytef*>(into);
  s.stream.avail_out = static_cast<uInt>(most);
  while (!s.isDone && s.stream.avail_out == most) {
    const std::ptrdiff_t n = s.refill();
    if (n < 0) return -1;
    if (n == 0) {
      if (!s.isInMember) break;
      errno = ENODATA;
      return -1;
    }
    if (!s.isInMember) {
      // Padding behind the last member, as tapes and block devices leave it, is no data.
      s.isDone = *s.stream.next_in != 0x1f || inflateReset(&s.stream) != Z_OK;
      s.isInMember = !s.isDone;
      continue;
    }
    const int result = inflate(&s.stream, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      s.isInMember = false;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      errno = EBADMSG;
      return -1;
    }
  }
  return static_cast<std::ptrdiff_t>(most - s.stream.avail_out);
}

}  // namespace nest
