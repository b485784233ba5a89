// Everything about a plan into one folder.
#include <QDir>
#include <QSet>
#include <memory>

#include "document/file_path.h"
#include "document/scenario_document.h"
#include "document/selection.h"
#include "export/figure_export.h"
#include "formats/results/plan_json.h"
#include "views/registry.h"

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

}  // namespace

ExportReport exportViews(const QString& dir, const PlanContext& c, const std::vector<View*>& views) {
  ExportReport report;
  Folder folder(dir, report);
  if (!report.ok()) return report;
  QSet<QString> written;
  for (View* view : views) {
    view->bringUpToDate();
    for (const Figure* figure : view->figures()) {
      if (written.contains(figure->id()) || !figure->hasContent(view->context())) continue;
      written += figure->id();
      for (const auto format : {ExportFormat::Svg, ExportFormat::Png, ExportFormat::Pdf})
        folder.write(figure->id() + u'.' + suffixOf(format), renderFigure(*figure, view->context(), format));
    }
  }
  if (const Plan* plan = c.shownPlan())
    folder.write(QStringLiteral("plan.json"), QByteArray::fromStdString(writePlan(*plan)));
  folder.write(QStringLiteral("summary.txt"), summaryText(c).toUtf8());
  return report;
}

ExportReport exportAll(const QString& dir, const PlanContext& c) {
  ScenarioDocument document;
  if (c.scenario) document.reset(*c.scenario, {});
  Selection selection;
  const auto context = std::make_shared<const PlanContext>(c);
  std::vector<std::unique_ptr<View>> owned;
  std::vector<View*> views;
  for (const ViewEntry& entry : viewRegistry()) {
    owned.emplace_back(entry.make({&selection, &document, nullptr}, nullptr));
    View* view = views.emplace_back(owned.back().get());
    view->setTheme(Theme::Kind::Print);
    view->setContext(context);
    view->resize(kViewSize);
    view->bringUpToDate();
    view->workOut({});
  }
  return exportViews(dir, c, views);
}

}  // namespace nest
