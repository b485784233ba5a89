#include "command_line.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>

#include "log/program_log.h"
#include "views/registry.h"

namespace nest {
namespace {

ExplorerCommand reject(const QString& problem) {
  ExplorerCommand c;
  c.what = ExplorerCommand::Do::Reject;
  c.problem = problem;
  return c;
}

}  // namespace

ExplorerCommand readCommandLine(const QStringList& arguments) {
  ExplorerCommand c;
  bool optionsOver = false;
  for (qsizetype i = 0; i < arguments.size(); ++i) {
    QString word = arguments[i], value;
    bool hasValue = false;
    if (optionsOver || !word.startsWith(QLatin1Char('-')) || word == QLatin1String("-")) {
      c.files += word;
      continue;
    }
    if (const qsizetype at = word.indexOf(QLatin1Char('=')); word.startsWith(QLatin1String("--")) && at > 0) {
      value = word.mid(at + 1);
      word = word.left(at);
      hasValue = true;
    }
    const auto take = [&] {
      if (hasValue) return !value.isEmpty();
      if (i + 1 >= arguments.size()) return false;
      value = arguments[++i];
      return true;
    };
    if (word == QLatin1String("--")) {
      optionsOver = true;
    } else if (word == QLatin1String("--help") || word == QLatin1String("-h")) {
      c.what = ExplorerCommand::Do::ShowHelp;
      return c;
    } else if (word == QLatin1String("--version")) {
      c.what = ExplorerCommand::Do::ShowVersion;
      return c;
    } else if (word == QLatin1String("--export")) {
      if (!take()) return reject(QStringLiteral("--export needs a folder to write to"));
      c.what = ExplorerCommand::Do::Export;
      c.exportFolder = value;
    } else if (word == QLatin1String("--theme")) {
      if (!take() || (value != QLatin1String("light") && value != QLatin1String("dark")))
        return reject(QStringLiteral("--theme takes light or dark"));
      c.theme = value == QLatin1String("dark") ? Theme::Kind::Dark : Theme::Kind::Light;
    } else if (word == QLatin1String("--view")) {
      if (!take()) return reject(QStringLiteral("--view needs the name of a view, such as stages"));
      c.view = value.toLower().remove(QLatin1Char('-'));  // as its tab says it too: What-if
    } else if (word == QLatin1String("--size")) {
      static const QRegularExpression form(QStringLiteral("^(\\d{3,5})x(\\d{3,5})$"));
      const bool given = take();
      const auto m = form.match(value);
      if (!given || !m.hasMatch())
        return reject(QStringLiteral("--size takes WIDTHxHEIGHT in pixels, such as 1600x1000"));
      c.size = QSize(m.captured(1).toInt(), m.captured(2).toInt());
    } else if (word == QLatin1String("--log-level")) {
      if (!take() || !isLogLevel(value.toStdString()))
        return reject(QStringLiteral("--log-level takes one of %1").arg(QLatin1String(kLogLevels)));
      c.logLevel = value.toStdString();
    } else if (word == QLatin1String("--log-file")) {
      if (!take()) return reject(QStringLiteral("--log-file needs a file to append to"));
      c.logFile = QFile::encodeName(value).toStdString();
    } else {
      return reject(QStringLiteral("unknown option %1; see --help").arg(word));
    }
  }
  if (c.what == ExplorerCommand::Do::Export && c.files.size() > 1)
    return reject(QStringLiteral("--export takes one scenario, not %1").arg(c.files.size()));
  return c;
}

QString logPath() {
  const QString state = qEnvironmentVariable("XDG_STATE_HOME");
  return (QDir::isAbsolutePath(state) ? state : QDir::homePath() + QStringLiteral("/.local/state")) +
         QStringLiteral("/nest-explorer/nest-explorer.log");
}

QString helpText() {
  return QStringLiteral(
             "nest-explorer: see, question and change how a large model is placed on a datacenter\n"
             "\n"
             "  nest-explorer [FILE…]                  open scenarios (*.nest.json); a config.json becomes "
             "the "
             "model\n"
             "  nest-explorer --export DIR [SCENARIO]  solve and write every figure, plan.json and "
             "summary.txt; "
             "needs no display\n"
             "\n"
             "  --theme light|dark   instead of what the desktop asks for\n"
             "  --view NAME          this view alone: %1\n"
             "  --size WxH           size of the window in pixels\n"
             "  --log-level LEVEL    the least to log: %2 (default: info)\n"
             "  --log-file FILE      append the log to FILE instead of %3\n"
             "  --help, --version\n"
             "\n"
             "Without a file the default sample is opened. With no display the figures are written to out/ "
             "instead.\n"
             "Exit codes: 0 done, 1 no plan fits (the closest one is written), 2 bad input, 3 stopped "
             "(search.deadline_s) "
             "before a plan was found.\n")
      .arg(viewNames(), QLatin1String(kLogLevels), logPath());
}

}  // namespace nest
