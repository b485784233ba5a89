#include "export_run.h"

#include <QFileInfo>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

#include "catalogue/export_all.h"
#include "catalogue/registry.h"
#include "catalogue/report.h"
#include "diagnostics/field_change.h"
#include "document/file_path.h"
#include "document/plan_context.h"
#include "document/scenario_files.h"
#include "export/date_text.h"
#include "export/figure_export.h"
#include "files/file_reader.h"
#include "lessons/lesson_handout.h"
#include "measures/metrics.h"
#include "slides/slides_export.h"
#include "study/conflicts.h"
#include "study/report_parts.h"
#include "text/printable.h"
#include "words/headline.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

void print(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics) std::fprintf(stderr, "%s\n", toText(d).c_str());
}

std::string verdictOf(const PlanContext& context) {
  if (!context.plan) {
    const words::NoPlan none = words::noPlan(*context.outcome);
    return none.title + ". " + adviceText(none.detail) + ".";
  }
  const auto& architecture = context.scenario->model.architecture;
  const PlanMetrics m = metricsOf(*context.problem, architecture ? &*architecture : nullptr, *context.plan);
  return headlineOf(m, context.plan->plan, *context.outcome);
}

}  // namespace

namespace {

/// The scenario, its problem and the answer; empty after what is wrong was printed.
std::optional<PlanContext> solved(const QString& path, std::optional<double> secondsAtMost) {
  QByteArray text;
  auto reading = readScenarioFile(path, &text);
  print(reading.diagnostics);
  if (!reading) return std::nullopt;
  auto problem = buildProblem(*reading);
  print(locatedIn(std::string_view(text.constData(), static_cast<std::size_t>(text.size())),
                  QFileInfo(path).fileName().toStdString(), problem.diagnostics));
  if (!problem) return std::nullopt;
  if (secondsAtMost) problem->search.deadlineSeconds = *secondsAtMost;

  PlanContext context;
  context.scenario = std::make_shared<const Scenario>(std::move(*reading.value));
  context.problem = std::make_shared<const Problem>(std::move(*problem.value));
  auto outcome = std::make_shared<const Outcome>(solveAndExplain(*context.problem));
  if (const RankedPlan* best = outcome->best())
    context.plan = std::shared_ptr<const RankedPlan>(outcome, best);
  context.outcome = std::move(outcome);
  return context;
}

/// 0: a plan; 3: stopped before there was one; 1: nothing fits.
int exitCodeOf(const PlanContext& c) {
  if (c.plan) return 0;
  return c.outcome->status == OutcomeStatus::Stopped ? 3 : 1;
}

}  // namespace

int runExport(const QString& folder, const QString& scenario, const ExportChoice& choice) {
  ExportChoice own = choice;
  own.path = scenario.isEmpty() ? samplePaths().value(0) : scenario;
  const auto context = solved(own.path, std::nullopt);
  if (!context) return 2;
  std::printf("%s\n", verdictOf(*context).c_str());
  const ExportReport report = exportAll(folder, *context, own);
  for (const QString& file : report.written) std::printf("%s\n", qPrintable(file));
  for (const QString& figure : report.leftOut)
    std::fprintf(stderr, "note: %s\n", printable(figure.toStdString(), false).c_str());
  for (const QString& trouble : report.problems) std::fprintf(stderr, "%s\n", qPrintable(trouble));
  const bool hasFigure = std::any_of(report.written.begin(), report.written.end(),
                                     [](const QString& f) { return f.endsWith(QLatin1String(".svg")); });
  if (!report.ok() || (!choice.view.isEmpty() && !hasFigure)) return 2;
  return exitCodeOf(*context);
}

namespace {

ReportChoice choiceOf(const QStringList& scenarios) {
  return {QFileInfo(scenarios.back()).fileName(), dateText(), QFileInfo(scenarios.front()).fileName()};
}

/// The page of a lesson.
int writeHandout(const QString& file, const QString& path, const std::string& text) {
  const std::string name = path.toStdString();
  const ReferenceLoader load = loaderBeside(name);
  const auto lesson = readLesson(text, name, load);
  print(lesson.diagnostics);
  if (!lesson) return 2;
  if (!file.endsWith(QLatin1String(".html"))) {
    std::fprintf(stderr, "nest-explorer: the page of a lesson ends in .html, which can hide its answers\n");
    return 2;
  }
  ReportChoice choice = choiceOf({path});
  choice.fileName = QString::fromStdString(lesson->id) + QStringLiteral(".nest.json");
  Diagnostics wrong;
  const QByteArray page = lessonAsPage(*lesson, load, choice, wrong);
  print(wrong);
  if (page.isEmpty()) return 2;
  if (const Diagnostics failed = writeFile(file, page); !failed.empty()) return print(failed), 2;
  std::printf("%s\n%s\n", lesson->title.c_str(), qPrintable(file));
  return 0;
}

QByteArray wholeReport(const PlanContextPtr& c, ReportFormat format, const ReportChoice& choice) {
  ReportSources sources = sourcesIn(*c->scenario);
  const ReportStudies studies =
      reportStudies(*c->scenario, *c->problem, c->outcome->best(), !sources.study, {});
  if (!sources.study) sources.study = studies.scaling;
  return reportOf(c, sources, studies.improvements, format, choice);
}

}  // namespace

int writeReport(const QString& file, const QStringList& scenarios) {
  if (scenarios.size() == 1)
    if (const auto text = readTextOf(scenarios.front()); text && isLesson(*text))
      return writeHandout(file, scenarios.front(), *text);
  std::vector<PlanContextPtr> contexts;
  for (const QString& path : scenarios) {
    auto context = solved(path, std::nullopt);
    if (!context) return 2;
    contexts.push_back(std::make_shared<const PlanContext>(std::move(*context)));
  }
  const auto format = file.endsWith(QLatin1String(".pdf")) ? ReportFormat::Pdf : ReportFormat::Html;
  const ReportChoice choice = choiceOf(scenarios);
  const QByteArray page = contexts.size() == 1 ? wholeReport(contexts[0], format, choice)
                                               : differenceReportOf(contexts[0], contexts[1], format, choice);
  if (const Diagnostics failed = writeFile(file, page); !failed.empty()) return print(failed), 2;
  for (const PlanContextPtr& c : contexts) std::printf("%s\n", verdictOf(*c).c_str());
  std::printf("%s\n", qPrintable(file));
  int code = 0;
  for (const PlanContextPtr& c : contexts) code = std::max(code, exitCodeOf(*c));
  return code;
}

int writeSlides(const QString& file, const QString& scenario) {
  auto context = solved(scenario, std::nullopt);
  if (!context) return 2;
  const auto own = std::make_shared<const PlanContext>(std::move(*context));
  if (own->scenario->slides.empty()) {
    std::fprintf(stderr,
                 "nest-explorer: --slides: %s keeps none; open it and keep views as slides (Ctrl+M)\n",
                 qPrintable(scenario));
    return 2;
  }
  const QByteArray page = slidesAsPage(*own->scenario, own, choiceOf({scenario}));
  if (const Diagnostics failed = writeFile(file, page); !failed.empty()) return print(failed), 2;
  std::printf("%s\n%s\n", verdictOf(*own).c_str(), qPrintable(file));
  return exitCodeOf(*own);
}

int writeThumbnail(const QString& picture, int pixels, const QString& scenario, Theme::Kind theme) {
  const auto context = solved(scenario, 2);
  if (!context) return 2;
  for (const auto& figure : planFigures()) {
    if (figure->id() != QLatin1String("topology")) continue;
    const QImage image = thumbnailOf(*figure, *context, QSize(pixels, pixels * 3 / 4), theme);
    if (image.save(picture, "PNG")) return 0;
  }
  std::fprintf(stderr, "nest-explorer: %s cannot be written\n", qPrintable(picture));
  return 2;
}

}  // namespace nest
