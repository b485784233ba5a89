#include "document/file_path.h"

#include <QFile>
#include <QStringList>
#include <filesystem>
#include <system_error>

#include "files/file_writer.h"

namespace nest {
namespace {

namespace fs = std::filesystem;

/// The name in `folder` that is shown as `shown`; `shown` itself where there is none, or more than one.
std::string nameIn(const fs::path& folder, const QString& shown) {
  std::string found;
  std::error_code ec;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(folder.empty() ? fs::path(".") : folder, ec)) {
    const std::string name = entry.path().filename().string();
    if (QFile::decodeName(name.c_str()) != shown) continue;
    if (!found.empty()) return shown.toStdString();
    found = name;
  }
  return found.empty() ? shown.toStdString() : found;
}

}  // namespace

std::string bytesOf(const QString& path) {
  if (!path.contains(QChar::ReplacementCharacter)) return QFile::encodeName(path).toStdString();
  fs::path bytes(path.startsWith(u'/') ? "/" : "");
  for (const QString& part : path.split(u'/', Qt::SkipEmptyParts)) {
    std::error_code ec;
    const fs::path literal = bytes / part.toStdString();
    bytes = !part.contains(QChar::ReplacementCharacter) || fs::exists(literal, ec)
                ? literal
                : bytes / nameIn(bytes, part);
  }
  return bytes.string();
}

Diagnostics writeFile(const QString& path, const QByteArray& bytes) {
  return writeFile(bytesOf(path), {bytes.constData(), static_cast<std::size_t>(bytes.size())},
                   {.waitsForReader = false});
}

QString reasonOf(const Diagnostics& all) {
  if (all.empty()) return {};
  const std::string& message = all.front().message;
  // "the file cannot be written: " is what the sentence around it says.
  const std::size_t colon = message.find(": ");
  QString text = QString::fromStdString(colon == std::string::npos ? message : message.substr(colon + 2));
  if (!all.front().remedy.empty()) text += QStringLiteral("; ") + QString::fromStdString(all.front().remedy);
  return text;
}

}  // namespace nest
