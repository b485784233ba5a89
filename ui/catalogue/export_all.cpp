#include "catalogue/export_all.h"

#include <QDir>
#include <QSet>
#include <memory>

#include "catalogue/registry.h"
#include "document/file_path.h"
#include "document/scenario_document.h"
#include "document/selection.h"
#include "figures/paint/phrases.h"
#include "formats/results/plan_json.h"

namespace nest {
namespace {

constexpr QSize kViewSize(1200, 800);  ///< some figures are laid out for their view first

class Folder {
public:
  Folder(const QString& path, ExportReport& report) : m_dir(path), m_report(report) {
    if (!m_dir.mkpath(QStringLiteral(".")))
      report.problems << QStringLiteral("The folder %1 cannot be created").arg(path);
  }

  void write(const QString& name, const QByteArray& content) {
    const QString path = m_dir.filePath(name);
    if (const Diagnostics failed = writeFile(path, content); !failed.empty())
      m_report.problems << QStringLiteral("%1 cannot be written: %2").arg(path, reasonOf(failed));
    else
      m_report.written << path;
  }

private:
  QDir m_dir;
  ExportReport& m_report;
};

/// What an empty figure says, as the end of a sentence.
QString reasonIn(const QString& says) {
  return inSentence(says.trimmed().replace(QLatin1Char('\n'), QStringLiteral(". ")));
}

}  // namespace

ExportReport exportViews(const QString& dir, const PlanContext& c, const std::vector<View*>& views,
                         const ExportOptions& options) {
  ExportReport report;
  Folder folder(dir, report);
  if (!report.ok()) return report;
  QSet<QString> written;
  for (View* view : views) {
    view->bringUpToDate();
    for (const Figure* figure : view->figures()) {
      if (written.contains(figure->id())) continue;
      written += figure->id();
      if (!figure->hasContent(view->context())) {
        report.leftOut << QStringLiteral("%1 is left out: %2")
                              .arg(figure->title(), reasonIn(figure->asText(view->context())));
        continue;
      }
      for (const auto format : {ExportFormat::Svg, ExportFormat::Png, ExportFormat::Pdf})
        folder.write(figure->id() + u'.' + suffixOf(format),
                     renderFigure(*figure, view->context(), format, options));
    }
  }
  if (const Plan* plan = c.shownPlan())
    folder.write(QStringLiteral("plan.json"), QByteArray::fromStdString(writePlan(*plan)));
  folder.write(QStringLiteral("summary.txt"), summaryText(c).toUtf8());
  return report;
}

ExportReport exportAll(const QString& dir, const PlanContext& c, const ExportChoice& choice) {
  ScenarioDocument document;
  if (c.scenario) document.reset(*c.scenario, {});
  Selection selection;
  const auto context = std::make_shared<const PlanContext>(c);
  std::vector<std::unique_ptr<View>> owned;
  std::vector<View*> views;
  const ViewPlace place = placeOf(choice.view);
  for (const ViewEntry& entry : viewRegistry()) {
    if (!choice.view.isEmpty() && entry.id != place.view) continue;
    owned.emplace_back(entry.make({&selection, &document, nullptr, false}, nullptr));
    View* view = views.emplace_back(owned.back().get());
    view->setTheme(choice.options.theme);
    view->setContext(context);
    view->resize(kViewSize);
    if (!choice.view.isEmpty()) view->setState(place.state);
    view->bringUpToDate();
    view->compute({});
  }
  ExportReport report = exportViews(dir, c, views, choice.options);
  if (!choice.view.isEmpty() && views.front()->figures().empty())
    report.leftOut << QStringLiteral("%1 has no figure of one plan alone").arg(views.front()->title());
  return report;
}

}  // namespace nest
