#include <QApplication>
#include <QFile>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "command_line.h"
#include "document/scenario_files.h"
#include "export_run.h"
#include "formats/format.h"
#include "log/log.h"
#include "log/program_log.h"
#include "options/own_catalogs.h"
#include "options/shell_files.h"
#include "platform/descriptor.h"
#include "platform/process.h"
#include "qt_messages.h"
#include "study/conflicts.h"
#include "text/printable.h"
#include "window/main_window.h"
#include "window/message_bar.h"

namespace {

bool hasDisplay() {
  return qEnvironmentVariableIsSet("QT_QPA_PLATFORM") || qEnvironmentVariableIsSet("DISPLAY") ||
         qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
}

nest::Outcome solveProblem(const nest::Problem& problem, const nest::Control& control,
                           const nest::Plan* start) {
  return nest::solveAndExplain(problem, control, start);
}

/// The catalogs of the user's own that were refused are named in the first window, which works without them.
int openWindows(const nest::ExplorerCommand& command, const nest::Diagnostics& refused) {
  nest::WindowOptions options;
  options.theme = command.theme;
  options.onlyView = command.view;
  options.size = command.size;
  options.remembers = command.view.isEmpty();
  std::vector<std::unique_ptr<nest::MainWindow>> windows;
  // Each scenario has a window of its own; networks, models and plans go into the one opened before them.
  QStringList others;
  const auto window = [&]() -> nest::MainWindow& {
    windows.push_back(std::make_unique<nest::MainWindow>(solveProblem, options));
    return *windows.back();
  };
  const auto takeOthers = [&] {
    if (!others.isEmpty()) (windows.empty() ? window() : *windows.back()).openPaths(others);
    others.clear();
  };
  QStringList files = command.files;
  if (files.isEmpty()) {
    // Where one left off; a new user chooses what to begin with, and a view alone shows the default sample.
    const QString last = command.view.isEmpty() ? window().lastFile() : nest::samplePaths().value(0);
    if (!last.isEmpty()) windows.clear(), files = {last};
  }
  for (const QString& path : files) {
    const auto text = nest::readTextOf(path);
    const bool isScenario =
        !text || nest::readerOf<nest::ReadScenario>(nest::recognise(*text, path.toStdString()));
    if (!isScenario) {
      others += path;
      continue;
    }
    takeOthers();
    window().openPath(path);
  }
  takeOthers();
  for (const auto& shown : windows) shown->show();
  if (command.view.isEmpty()) windows.front()->offerRecovery();
  QString text;
  std::size_t errors = 0;
  constexpr std::size_t kMostShown = 3;  // the log has all of them
  for (const auto& d : refused)
    if (d.severity == nest::Severity::Error && ++errors <= kMostShown)
      text += QStringLiteral("%1%2: %3")
                  .arg(text.isEmpty() ? "" : "\n", QString::fromStdString(d.where.file), nest::inWords(d));
  if (errors > kMostShown) text += QStringLiteral("\nand %1 more").arg(errors - kMostShown);
  if (errors > 0) windows.front()->messages().add(nest::MessageBar::Tone::Error, text);
  return QApplication::exec();
}

nest::ExportChoice exportChoice(const nest::ExplorerCommand& command) {
  nest::ExportChoice choice;
  choice.view = command.view;
  if (command.theme) choice.options.theme = *command.theme;
  choice.options.isOutlined = command.isOutlined;
  choice.options.hasFooter = command.hasFooter;
  if (!command.size.isEmpty())
    choice.options.size = command.size, choice.options.pixelWidth = command.size.width();
  return choice;
}

/// All that was printed has to arrive.
int ended(int code) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  std::fprintf(stderr, "nest-explorer: standard output cannot be written: %s\n", std::strerror(errno));
  return 2;
}

/// False: what the user asked for cannot be had.
bool beginLog(const nest::ExplorerCommand& command) {
  nest::LogOptions options;
  options.program = "nest-explorer";
  options.level = command.logLevel;
  options.file = command.logFile;
  if (command.what == nest::ExplorerCommand::Do::OpenWindow)
    options.rotating = QFile::encodeName(nest::logPath()).toStdString();
  const nest::Diagnostics trouble = nest::startLog(options);
  for (const auto& d : trouble) nest::logLine(nest::LogLevel::Warning, nest::printable(toText(d), false));
  nest::logLine(nest::LogLevel::Info,
                std::string("nest-explorer " NEST_VERSION " starts, with Qt ") + qVersion());
  return !hasErrors(trouble);
}

}  // namespace

int main(int argc, char** argv) {
  nest::holdStandardStreams();
  nest::surviveFullFiles();
  nest::surviveClosedPipes();
  QStringList arguments;
  for (int i = 1; i < argc; ++i) arguments += QString::fromLocal8Bit(argv[i]);
  nest::ExplorerCommand command = nest::readCommandLine(arguments);
  using Do = nest::ExplorerCommand::Do;
  switch (command.what) {
    case Do::ShowHelp:
      std::printf("%s", nest::cli::helpText(nest::explorerProgram()).c_str());
      return ended(0);
    case Do::ShowVersion:
      std::printf("nest-explorer %s\n", NEST_VERSION);
      return ended(0);
    case Do::WriteManual: {
      const nest::Diagnostics failed =
          nest::cli::writeShellFiles(nest::explorerProgram(), command.folder.toLocal8Bit().toStdString());
      for (const nest::Diagnostic& d : failed) std::fprintf(stderr, "%s\n", nest::toText(d).c_str());
      return ended(failed.empty() ? 0 : 2);
    }
    case Do::Reject:
      std::fprintf(stderr, "nest-explorer: %s\n", qPrintable(command.problem));
      return 2;
    case Do::OpenWindow:
      if (hasDisplay()) break;
      command.what = Do::Export;
      command.folder = QStringLiteral("out");
      std::printf("No display found: writing the figures to out/ instead%s.\n",
                  command.files.size() > 1 ? ", those of the first file alone" : "");
      command.files = command.files.mid(0, 1);
      break;
    case Do::Export:
    case Do::Report:
    case Do::Thumbnail:
      break;
  }
  if (!beginLog(command)) return 2;
  const nest::Diagnostics catalogs = nest::cli::loadOwnCatalogs();
  for (const auto& d : catalogs) nest::logLine(nest::LogLevel::Warning, nest::printable(toText(d), false));
  nest::takeQtMessages();
  // Qt decides on its platform, and gives up without a display, while the application object is made.
  if (command.what != Do::OpenWindow) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  nest::displayIsOpen();
  QApplication::setOrganizationName(QStringLiteral("nest-explorer"));
  QApplication::setApplicationName(QStringLiteral("nest-explorer"));
  QApplication::setApplicationDisplayName(QString());
  QApplication::setApplicationVersion(QStringLiteral(NEST_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("nest-explorer"));
  if (command.what == Do::Export)
    return ended(nest::runExport(command.folder, command.files.value(0), exportChoice(command)));
  if (command.what == Do::Report)
    return ended(command.isOfSlides ? nest::writeSlides(command.report, command.files.value(0))
                                    : nest::writeReport(command.report, command.files));
  if (command.what == Do::Thumbnail)
    return nest::writeThumbnail(command.picture, command.pixels, command.files.value(0),
                                command.theme.value_or(nest::Theme::Kind::Light));
  return openWindows(command, catalogs);
}
