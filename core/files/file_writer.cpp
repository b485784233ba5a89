#include "files/file_writer.h"

#include "platform/file_target.h"

namespace nest {

class FileWriter::Target : public FileTarget {
public:
  using FileTarget::FileTarget;
};

FileWriter::FileWriter(const std::string& path, const WriteOptions& options)
    : m_target(std::make_unique<Target>(path, options.isPrivate, options.waitsForReader)) {}
FileWriter::~FileWriter() = default;
FileWriter::FileWriter(FileWriter&&) noexcept = default;

bool FileWriter::write(std::string_view bytes) {
  return m_target->write(bytes);
}

Diagnostics FileWriter::commit() {
  return m_target->commit();
}

Diagnostics writeFile(const std::string& path, std::string_view bytes, const WriteOptions& options) {
  FileWriter file(path, options);
  file.write(bytes);
  return file.commit();
}

}  // namespace nest
