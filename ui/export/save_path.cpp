#include "export/save_path.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QSettings>

#include "document/file_path.h"

namespace nest {

QString askPath(QWidget* parent, const QString& title, const QString& proposal, const QString& filter,
                const QString& suffix) {
  QString path = QFileDialog::getSaveFileName(parent, title, proposal, filter);
  const QString end = u'.' + suffix.section(u'.', -1);
  if (path.isEmpty() || suffix.isEmpty() || path.endsWith(end, Qt::CaseInsensitive)) return path;
  path += u'.' + suffix;
  // The dialog has asked about the name that was typed.
  const bool free =
      !QFileInfo::exists(path) ||
      QMessageBox::question(parent, title, QObject::tr("%1 already exists. Replace it?").arg(path)) ==
          QMessageBox::Yes;
  return free ? path : QString();
}

Written saveExport(QWidget* parent, const QString& title, const QString& name, const QString& filter,
                   const std::function<QByteArray()>& content) {
  const auto folder = QStringLiteral("export/folder");
  const QDir last(QSettings().value(folder, QDir::homePath()).toString());
  const QString path = askPath(parent, title, last.filePath(name), filter,
                               filter.isEmpty() ? QString() : QFileInfo(name).suffix());
  if (path.isEmpty()) return {};
  if (const Diagnostics failed = writeFile(path, content()); !failed.empty())
    return {path, QObject::tr("%1 was not written: %2.").arg(path, reasonOf(failed))};
  QSettings().setValue(folder, QFileInfo(path).absolutePath());
  return {path, {}};
}

}  // namespace nest
