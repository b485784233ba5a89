#pragma once

#include <QByteArray>
#include <QString>
#include <functional>

class QWidget;

namespace nest {

/// Asks where to write a file of one kind: its name ends with `suffix` ("svg"), whatever was typed. Empty:
/// nowhere.
QString askPath(QWidget* parent, const QString& title, const QString& proposal, const QString& filter,
                const QString& suffix);

struct Written {
  QString path;     ///< empty: the user chose none
  QString problem;  ///< empty: it stands there
};
/// Asks and writes, beginning in the folder of the last such file. Without a filter any name will do.
Written saveExport(QWidget* parent, const QString& title, const QString& name, const QString& filter,
                   const std::function<QByteArray()>& content);

}  // namespace nest
