#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>
#include <string>

#include "theme/theme.h"

namespace nest {

/// What the command line of nest-explorer asks for.
struct ExplorerCommand {
  enum class Do { OpenWindow, Export, ShowHelp, ShowVersion, Reject };
  Do what = Do::OpenWindow;
  QString problem;  ///< set for Reject: what is wrong and what is allowed
  QStringList files;
  QString exportFolder;
  std::optional<Theme::Kind> theme;
  QString view;
  QSize size;
  std::optional<std::string> logLevel, logFile;
};

/// Needs no application object: the platform is chosen by what it returns.
ExplorerCommand readCommandLine(const QStringList& arguments);
QString helpText();
/// Where the log goes that nobody asked for: in the user's state folder.
QString logPath();

}  // namespace nest
