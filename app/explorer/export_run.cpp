#include "export_run.h"

#include <QFileInfo>
#include <cstdio>
#include <memory>

#include "document/plan_context.h"
#include "document/scenario_files.h"
#include "export/figure_export.h"
#include "plan/metrics.h"
#include "study/conflicts.h"
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
    return none.title + ". " + none.detail + ".";
  }
  const auto& architecture = context.scenario->model.architecture;
  const PlanMetrics m = metricsOf(*context.problem, architecture ? &*architecture : nullptr, *context.plan);
  return headlineOf(m, context.plan->plan, *context.outcome);
}

}  // namespace

int runExport(const QString& folder, const QString& scenario) {
  const QString path = scenario.isEmpty() ? samplePaths().value(0) : scenario;
  QByteArray text;
  auto reading = readScenarioFile(path, &text);
  print(reading.diagnostics);
  if (!reading) return 2;
  auto problem = buildProblem(*reading);
  print(locatedIn(std::string_view(text.constData(), static_cast<std::size_t>(text.size())),
                  QFileInfo(path).fileName().toStdString(), problem.diagnostics));
  if (!problem) return 2;

  PlanContext context;
  context.scenario = std::make_shared<const Scenario>(std::move(*reading.value));
  context.problem = std::make_shared<const Problem>(std::move(*problem.value));
  auto outcome = std::make_shared<const Outcome>(solveAndExplain(*context.problem));
  if (const RankedPlan* best = outcome->best())
    context.plan = std::shared_ptr<const RankedPlan>(outcome, best);
  context.outcome = std::move(outcome);

  std::printf("%s\n", verdictOf(context).c_str());
  const ExportReport report = exportAll(folder, context);
  for (const QString& file : report.written) std::printf("%s\n", qPrintable(file));
  for (const QString& trouble : report.problems) std::fprintf(stderr, "%s\n", qPrintable(trouble));
  if (!report.ok()) return 2;
  if (context.plan) return 0;
  return context.outcome->status == OutcomeStatus::Stopped ? 3 : 1;
}

}  // namespace nest
