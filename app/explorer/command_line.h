#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>
#include <string>

#include "options/command.h"
#include "theme/theme.h"

namespace nest {

/// What the command line of nest-explorer asks for.
struct ExplorerCommand {
  enum class Do { OpenWindow, Export, Report, Thumbnail, ShowHelp, ShowVersion, WriteManual, Reject };
  Do what = Do::OpenWindow;
  QString problem;  ///< set for Reject: what is wrong and what is allowed
  QStringList files;
  QString folder;   ///< of Export and WriteManual
  QString report;   ///< file of Report
  QString picture;  ///< of Thumbnail, and how wide and high it may be
  int pixels = 256;
  bool isOutlined = false, hasFooter = false;
  bool isOfSlides = false;  ///< Report: of the slides alone
  std::optional<Theme::Kind> theme;
  QString view;
  QSize size;
  std::optional<std::string> logLevel, logFile;
};

/// Needs no application object: the platform is chosen by what it returns.
ExplorerCommand readCommandLine(const QStringList& arguments);

/// Where the log goes that nobody asked for: in the user's state folder.
QString logPath();

/// Its options, for help, manual page and completion.
cli::Program explorerProgram();

}  // namespace nest
