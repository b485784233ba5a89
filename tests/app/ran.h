#pragma once

#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QString>
#include <QStringList>

#include "support/test_main.h"
#include "test_paths.h"

namespace nest::test {

/// A run of one of the programs. code −2: it crashed; −1: it was killed, for it took too long.
struct Ran {
  int code = -1;
  QString out, err;
  QString all() const { return out + err; }
  QJsonDocument document() const { return QJsonDocument::fromJson(out.toUtf8()); }
  QJsonObject json() const { return document().object(); }
};

inline Ran finish(QProcess& p, int milliseconds = 300'000) {
  if (!p.waitForFinished(milliseconds)) {
    p.kill();
    p.waitForFinished();
    return {};
  }
  return {p.exitStatus() == QProcess::NormalExit ? p.exitCode() : -2,
          QString::fromUtf8(p.readAllStandardOutput()), QString::fromUtf8(p.readAllStandardError())};
}

/// In the folder of the samples.
inline Ran runProgram(const QString& program, const QStringList& words, const QByteArray& input = {}) {
  QProcess p;
  p.setWorkingDirectory(QStringLiteral(NEST_SOURCE_DIR "/samples"));
  p.start(QStringLiteral(NEST_BINARY_DIR "/") + program, words);
  p.write(input);
  p.closeWriteChannel();
  return finish(p);
}

inline Ran run(const QStringList& words, const QByteArray& input = {}) {
  return runProgram(QStringLiteral("nest-plan"), words, input);
}

inline QString sample(const QString& name) {
  return QStringLiteral(NEST_SOURCE_DIR "/samples/") + name + QStringLiteral(".nest.json");
}

}  // namespace nest::test
