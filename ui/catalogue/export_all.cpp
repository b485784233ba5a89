#include "catalogue/export_all.h"

#include <QSet>
#include <memory>
#include <utility>

#include "catalogue/registry.h"
#include "document/file_path.h"
#include "document/scenario_document.h"
#include "document/selection.h"
#include "figures/paint/phrases.h"
#include "formats/results/plan_json.h"

namespace nest {
namespace {

constexpr QSize kViewSize(1200, 800);  ///< some figures are laid out for their view first

/// What an empty figure says, as the end of a sentence.
QString reasonIn(const QString& says) {
  return inSentence(says.trimmed().replace(QLatin1Char('\n'), QStringLiteral(". ")));
}

}  // namespace

FigureQueue::FigureQueue(const PlanContext& c, const std::vector<View*>& views, const ExportOptions& options)
    : m_options(options) {
  QSet<QString> known;
  for (View* view : views) {
    view->bringUpToDate();
    for (const Figure* figure : view->figures()) {
      if (known.contains(figure->id())) continue;
      known += figure->id();
      if (figure->hasContent(view->context()))
        for (const auto format : {ExportFormat::Svg, ExportFormat::Png, ExportFormat::Pdf})
          m_pages.push_back({figure, view->contextPtr(), format});
      else
        m_leftOut << QStringLiteral("%1 is left out: %2")
                         .arg(figure->title(), reasonIn(figure->asText(view->context())));
    }
  }
  if (const Plan* plan = c.shownPlan())
    m_texts.push_back({QStringLiteral("plan.json"), QByteArray::fromStdString(writePlan(*plan))});
  m_texts.push_back({QStringLiteral("summary.txt"), summaryText(c).toUtf8()});
}

std::optional<ExportFile> FigureQueue::next() {
  const std::size_t i = m_next++;
  if (i < m_pages.size()) {
    const auto& [figure, context, format] = m_pages[i];
    return ExportFile{figure->id() + u'.' + suffixOf(format),
                      [page = std::make_shared<const PaintedFigure>(
                           paintedFigure(*figure, *context, format, m_options))] { return page->content(); }};
  }
  if (i >= m_pages.size() + m_texts.size()) return std::nullopt;
  const auto& [name, text] = m_texts[i - m_pages.size()];
  return ExportFile{name, [text = text] { return text; }};
}

ExportFolder::ExportFolder(const QString& path) : m_dir(path) {
  if (!m_dir.mkpath(QStringLiteral(".")))
    report.problems << QStringLiteral("The folder %1 cannot be created").arg(path);
}

void ExportFolder::write(const ExportFile& file) {
  const QString path = m_dir.filePath(file.name);
  if (const Diagnostics failed = writeFile(path, file.content()); !failed.empty())
    report.problems << QStringLiteral("%1 cannot be written: %2").arg(path, reasonOf(failed));
  else
    report.written << path;
}

ExportReport exportViews(const QString& dir, const PlanContext& c, const std::vector<View*>& views,
                         const ExportOptions& options) {
  ExportFolder folder(dir);
  if (!folder.report.ok()) return folder.report;
  FigureQueue queue(c, views, options);
  while (const auto file = queue.next()) folder.write(*file);
  folder.report.leftOut = queue.leftOut();
  return folder.report;
}

ExportReport exportAll(const QString& dir, const PlanContext& c, const ExportChoice& choice) {
  ScenarioDocument document;
  if (c.scenario) document.reset(*c.scenario, choice.path);
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
