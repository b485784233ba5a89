#pragma once

#include <QByteArray>
#include <QString>
#include <string>

#include "diagnostics/diagnostic.h"

namespace nest {

/// The path as the file system knows it. Names that are not UTF-8 reach a QString with U+FFFD in place of
/// what it cannot hold: such a name stands for the one file of its folder that looks so.
std::string bytesOf(const QString& path);

/// writeFile; nothing waits for a reader of a pipe, the window would wait with it.
Diagnostics writeFile(const QString& path, const QByteArray& bytes);

/// The cause and what to do now, for after "X cannot be written: ".
QString reasonOf(const Diagnostics&);

}  // namespace nest
