#include "command_line.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <algorithm>

#include "catalogue/registry.h"
#include "options/arguments.h"
#include "options/log_options.h"

namespace nest {
namespace {

/// Of a window or a picture: more memory than 256 MiB is not spent on its pixels.
constexpr int kMostSide = 16'384;
constexpr qint64 kMostPixels = 64'000'000;

}  // namespace

QString logPath() {
  const QString state = qEnvironmentVariable("XDG_STATE_HOME");
  return (QDir::isAbsolutePath(state) ? state : QDir::homePath() + QStringLiteral("/.local/state")) +
         QStringLiteral("/nest-explorer/nest-explorer.log");
}

cli::Program explorerProgram() {
  auto log = cli::logOptionSpecs("info", logPath().toStdString());
  std::vector<std::string> views;
  for (const ViewEntry& e : viewRegistry()) views.push_back(e.id.toStdString());
  for (const ViewMode& m : viewModes()) views.push_back(m.id.toStdString());
  return {
      .whole =
          {.name = "nest-explorer",
           .summary = "see, question and change how a large model is placed on a datacenter",
           .usage = {"[FILE]…", "--export FOLDER [SCENARIO]", "--report FILE SCENARIO [SCENARIO]"},
           .description =
               R"(Opens scenarios (*.nest.json), each in a window of its own; networks, models and plans go into the one opened
before them. Without a file the last one is opened again, and at the very first start the start page.
With --export it solves and writes every figure, plan.json and summary.txt, and needs no display; --view, --theme and
--size choose one figure, its colours and its size. With no display it does so by itself and writes to out/. --thumbnail
is for file managers: the network with the plan on it, as PNG. --report writes one page to send: the plan, its figures,
what was not searched, and the scenario itself; of two scenarios, what differs and why.)",
           .options = {{"--export", 0, "FOLDER", "write the figures there"},
                       {"--report", 0, "FILE", "write a page about the plan there: FILE.html or FILE.pdf"},
                       {"--theme",
                        0,
                        "NAME",
                        "instead of what the desktop asks for; of --export instead of the colours of print",
                        false,
                        {"light", "dark"}},
                       {"--view", 0, "NAME", "this view alone, or with --export its figures", false,
                        std::move(views)},
                       {"--size", 0, "WxH",
                        "size of the window, or with --export of each figure, in pixels, such as 1600x1000"},
                       {"--slides", 0, "",
                        "with --report: the slides that the scenario keeps, instead of its plan"},
                       {"--outlines", 0, "",
                        "with --export: text of SVG as outlines, for programs that ignore fonts"},
                       {"--footer", 0, "",
                        "with --export: scenario, date, version and hash below each figure"},
                       {"--thumbnail", 0, "FILE", "write one small picture of the scenario there"},
                       {"--pixels", 0, "N", "width and height that the small picture fits into (256)"},
                       log[0],
                       log[1],
                       {"--help", 'h', "", "show this help"},
                       {"--version", 0, "", "show the version"},
                       {"--write-manual", 0, "FOLDER",
                        "write the manual page and the completion of bash, zsh and fish below this folder"}},
           .exits = {{0, "done"},
                     {1, "no plan fits (the closest one is written)"},
                     {2, "bad input"},
                     {3, "stopped (search.deadline_s) before a plan was found"}},
           .mostFiles = 10000},
      .version = NEST_VERSION};
}

ExplorerCommand readCommandLine(const QStringList& arguments) {
  using Do = ExplorerCommand::Do;
  std::vector<std::string> words;
  for (const QString& a : arguments) words.push_back(QFile::encodeName(a).toStdString());
  ExplorerCommand c;
  const auto reject = [&](const QString& problem) {
    c.what = Do::Reject;
    c.problem = problem;
    return c;
  };
  const auto args = cli::parseArguments(words, explorerProgram().whole);
  if (!args) {
    const Diagnostic& first = args.diagnostics.front();
    return reject(QString::fromStdString(first.message + "; " + first.remedy));
  }
  const auto value = [&](const char* name) {
    return QFile::decodeName(args->value(name).value_or("").c_str());
  };
  for (const std::string& f : args->files) c.files += QFile::decodeName(f.c_str());
  c.logLevel = args->value("--log-level");
  c.logFile = args->value("--log-file");
  if (args->has("--help")) {
    c.what = Do::ShowHelp;
    return c;
  }
  if (args->has("--version")) {
    for (const char* name :
         {"--write-manual", "--export", "--report", "--thumbnail", "--view", "--theme", "--slides",
          "--outlines", "--footer", "--size", "--pixels", "--log-level", "--log-file"})
      if (args->has(name))
        return reject(QStringLiteral("%1 does not go with --version, which shows nothing else").arg(name));
    if (!c.files.isEmpty()) return reject(QStringLiteral("--version takes no file"));
    c.what = Do::ShowVersion;
    return c;
  }
  if (c.logLevel == "off" && c.logFile) return reject(QString::fromUtf8(cli::kNoLogToWrite));
  // What is done, and what each of the other options is good for beside it.
  using Names = std::vector<const char*>;
  const Names doing = {"--write-manual", "--export", "--report", "--thumbnail"};
  const Names ofPicture = {"--theme", "--view", "--size"};
  const char* done = nullptr;
  for (const char* name : doing) {
    if (!args->has(name)) continue;
    if (done)
      return reject(QStringLiteral("%1 and %2 are two things to do: leave one of them out").arg(done, name));
    done = name;
  }
  const auto isDoing = [&](const char* name) { return done && qstrcmp(done, name) == 0; };
  const auto refuses = [&](const Names& names, const QString& why) -> std::optional<QString> {
    for (const char* name : names)
      if (args->has(name)) return QStringLiteral("%1 %2").arg(QLatin1String(name), why);
    return std::nullopt;
  };
  std::optional<QString> wrong;
  if (!isDoing("--export"))
    wrong = refuses({"--outlines", "--footer"},
                    QStringLiteral("belongs to the figures of --export, and none is written"));
  if (!isDoing("--report") && !wrong)
    wrong = refuses({"--slides"}, QStringLiteral("belongs to --report, and no page is written"));
  if (!isDoing("--thumbnail") && !wrong)
    wrong = refuses({"--pixels"}, QStringLiteral("is the size of a --thumbnail, and none is written"));
  if (isDoing("--thumbnail")) {
    if (!wrong)
      wrong =
          refuses({"--view"},
                  QStringLiteral(
                      "does not go with --thumbnail, which shows the network; --export writes any figure"));
    if (!wrong)
      wrong = refuses({"--size"}, QStringLiteral("does not go with --thumbnail, whose size is --pixels"));
  }
  if (isDoing("--report") && !wrong)
    wrong = refuses(ofPicture,
                    QStringLiteral("does not go with --report, which has every figure at its own size"));
  if (isDoing("--write-manual")) {
    if (!wrong)
      wrong = refuses(ofPicture, QStringLiteral("does not go with --write-manual, which shows nothing"));
    if (!wrong)
      wrong = refuses({"--log-level", "--log-file"},
                      QStringLiteral("does not go with --write-manual, which logs nothing"));
    if (!wrong && !c.files.isEmpty()) wrong = QStringLiteral("--write-manual takes no file");
    c.what = Do::WriteManual;
    c.folder = value("--write-manual");
  }
  if (wrong) return reject(*wrong);
  if (c.what == Do::WriteManual) return c;
  if (args->has("--theme"))
    c.theme = value("--theme") == QLatin1String("dark") ? Theme::Kind::Dark : Theme::Kind::Light;
  c.isOutlined = args->has("--outlines");
  c.hasFooter = args->has("--footer");
  c.view = value("--view");
  if (args->has("--size")) {
    static const QRegularExpression form(QStringLiteral("^(\\d{3,5})x(\\d{3,5})$"));
    const auto m = form.match(value("--size"));
    if (!m.hasMatch())
      return reject(QStringLiteral("--size takes WIDTHxHEIGHT in pixels, such as 1600x1000"));
    c.size = QSize(m.captured(1).toInt(), m.captured(2).toInt());
    if (std::max(c.size.width(), c.size.height()) > kMostSide ||
        qint64(c.size.width()) * c.size.height() > kMostPixels)
      return reject(QStringLiteral("--size takes up to %1 pixels in width and height and %2 million in all, "
                                   "not %3; a larger picture cannot be painted")
                        .arg(kMostSide)
                        .arg(kMostPixels / 1'000'000)
                        .arg(value("--size")));
  }
  if (args->has("--export")) {
    c.what = Do::Export;
    c.folder = value("--export");
    if (c.folder.isEmpty()) return reject(QStringLiteral("--export needs a folder to write to"));
    if (c.files.size() > 1)
      return reject(QStringLiteral("--export takes one scenario, not %1").arg(c.files.size()));
  }
  if (args->has("--report")) {
    c.what = Do::Report;
    c.report = value("--report");
    c.isOfSlides = args->has("--slides");
    if (c.isOfSlides && c.files.size() != 1)
      return reject(QStringLiteral("--slides takes one scenario, which keeps slides"));
    if (c.isOfSlides && !c.report.endsWith(QLatin1String(".html")))
      return reject(QStringLiteral("--slides writes a page that ends in .html"));
    if (!c.report.endsWith(QLatin1String(".html")) && !c.report.endsWith(QLatin1String(".pdf")))
      return reject(QStringLiteral("--report takes a file that ends in .html or .pdf"));
    if (c.files.isEmpty() || c.files.size() > 2)
      return reject(QStringLiteral("--report takes one scenario, or two for a page about their difference"));
  }
  if (args->has("--thumbnail")) {
    c.what = Do::Thumbnail;
    c.picture = value("--thumbnail");
    Diagnostics outside;
    c.pixels = static_cast<int>(cli::wholeNumber(*args, "--pixels", 16, 4096, outside).value_or(256));
    if (!outside.empty()) return reject(QString::fromStdString(outside.front().message));
    if (c.files.size() != 1) return reject(QStringLiteral("--thumbnail takes one scenario"));
  }
  return c;
}

}  // namespace nest
