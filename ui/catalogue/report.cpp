#include "catalogue/report.h"

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextObjectInterface>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catalogue/report_figures.h"
#include "export/pdf_pages.h"
#include "formats/results/difference_report.h"
#include "formats/results/report_page.h"
#include "formats/scenario/embedded_scenario.h"
#include "formats/scenario/scenario_json.h"
#include "scenario/scenario.h"
#include "study/report_parts.h"
#include "words/metric_words.h"

namespace nest {
namespace {

constexpr QSizeF kA4(793.7, 1122.5);  ///< px at 96 dpi
constexpr double kPageWidth = 672;    ///< of the text on A4, px at 96 dpi

/// Draws the figures in place of the images of a text document whose names are theirs.
class FigureObjects : public QObject, public QTextObjectInterface {
  Q_OBJECT
  Q_INTERFACES(QTextObjectInterface)
public:
  explicit FigureObjects(const std::vector<ReportFigure>& figures) : m_figures(figures) {}

  QSizeF intrinsicSize(QTextDocument*, int, const QTextFormat& format) override {
    const QSizeF size = of(format).shownSize();
    return size * (kPageWidth / size.width());
  }
  void drawObject(QPainter* painter, const QRectF& area, QTextDocument*, int,
                  const QTextFormat& format) override {
    const ReportFigure& f = of(format);
    painter->save();
    painter->setClipRect(area, Qt::IntersectClip);
    painter->translate(area.topLeft());
    painter->scale(area.width() / f.size.width(), area.width() / f.size.width());
    paintReportFigure(*painter, f, Theme::Kind::Print);
    painter->restore();
  }

private:
  const ReportFigure& of(const QTextFormat& format) const {
    return *std::find_if(m_figures.begin(), m_figures.end(),
                         [id = format.toImageFormat().name()](const auto& f) { return f.id == id; });
  }

  const std::vector<ReportFigure>& m_figures;
};

/// The first heading that stands at the end of a page, away from what it heads; −1: there is none.
int loneHeading(const QTextDocument& document) {
  const auto pageOf = [&](const QTextBlock& block) {
    return static_cast<int>((document.documentLayout()->blockBoundingRect(block).bottom() - 1) /
                            kA4.height());
  };
  for (QTextBlock block = document.begin(); block.next().isValid(); block = block.next())
    if (block.blockFormat().headingLevel() > 0 && pageOf(block) != pageOf(block.next()) &&
        block.blockFormat().pageBreakPolicy() == QTextFormat::PageBreak_Auto)
      return block.blockNumber();
  return -1;
}

/// Lays the text out on A4 pages at 96 dpi and paints them one by one.
QByteArray pdfOf(const PlanReport& report, const PageContent& content,
                 const std::vector<ReportFigure>& figures) {
  QTextDocument document;
  FigureObjects objects(figures);
  document.documentLayout()->registerHandler(QTextFormat::ImageObject, &objects);
  document.setDefaultFont(Theme::font(12));
  document.setDefaultStyleSheet(
      QStringLiteral("h1 { font-size: 13px; font-weight: 500; color: #444b54; } "
                     "h2 { font-size: 14px; font-weight: 500; margin-top: 16px; margin-bottom: 4px; } "
                     ".kind { font-weight: 400; color: #444b54; } "
                     "b { font-size: 24px; } th { color: #444b54; font-weight: 400; font-size: 9px; } "
                     "td { font-size: 9px; } .l { text-align: left; }"));
  document.setHtml(QString::fromStdString(reportBody(report, content)));
  document.setDocumentMargin((kA4.width() - kPageWidth) / 2);
  document.setPageSize(kA4);
  // Each break moves what follows; layouts of parts lose text in Qt 6.4, so that each is of the whole.
  for (int heading = loneHeading(document); heading >= 0; heading = loneHeading(document)) {
    QTextBlockFormat format = document.findBlockByNumber(heading).blockFormat();
    format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
    document.setPageSize(QSizeF());
    QTextCursor(document.findBlockByNumber(heading)).setBlockFormat(format);
    document.setPageSize(kA4);
  }

  const std::vector<PageScenario>& scenarios = content.scenarios;
  PdfPages pages(QString::fromStdString(report.title.empty() ? std::string() : report.title.front()), kA4,
                 {writeScenario(*scenarios.back().scenario), {}});
  for (std::size_t i = 0; i + 1 < scenarios.size(); ++i)
    pages.attach(QString::fromStdString(scenarios[i].fileName), writeScenario(*scenarios[i].scenario));
  QPainter& painter = pages.painter();
  for (int page = 0; page < document.pageCount(); ++page) {
    if (page > 0) pages.nextPage();
    painter.save();
    painter.translate(0, -page * kA4.height());
    document.drawContents(&painter, QRectF(QPointF(0, page * kA4.height()), kA4));
    painter.restore();
    painter.setFont(Theme::font(9));
    painter.setPen(Theme::of(Theme::Kind::Print).color(Theme::Role::MutedText));
    painter.drawText(QRectF(0, kA4.height() - 40, kA4.width(), 20), Qt::AlignHCenter,
                     QStringLiteral("%1 of %2").arg(page + 1).arg(document.pageCount()));
  }
  return pages.finish();
}

QByteArray written(const PlanReport& report, const std::vector<ReportFigure>& figures,
                   std::vector<PageScenario> scenarios, ReportFormat format, const ReportChoice& choice) {
  PageContent content = pageContent(std::move(scenarios), format, choice);
  if (format == ReportFormat::Pdf) {
    for (const ReportFigure& f : figures)
      content.figures.push_back({f.id.toStdString(), f.title.toStdString(),
                                 "<p><img src=\"" + f.id.toStdString() + "\"></p>", f.finding.toStdString(),
                                 f.table});
    return pdfOf(report, content, figures);
  }
  PageFigures page;
  for (const ReportFigure& f : figures) content.figures.push_back(page.pageFigure(f));
  content.style = page.style().toStdString();
  return QByteArray::fromStdString(writeReportPage(report, content));
}

}  // namespace

PageContent pageContent(std::vector<PageScenario> scenarios, ReportFormat format,
                        const ReportChoice& choice) {
  PageContent content;
  content.program = "NEST Explorer " NEST_VERSION;
  content.date = choice.date.toStdString();
  content.saving = format == ReportFormat::Pdf ? "from the list of attachments"
                   : scenarios.size() == 1     ? "with the button below"
                                               : "with the buttons below";
  content.scenarios = std::move(scenarios);
  if (format == ReportFormat::Pdf) content.scenarios.back().fileName = attachmentName({});
  return content;
}

QByteArray reportOf(const PlanContextPtr& c, const ReportSources& sources,
                    const std::vector<Improvement>& improvements, ReportFormat format,
                    const ReportChoice& choice) {
  const Scenario scenario = standingAlone(*c->scenario);
  PlanReport report = reportOf(reportSource(scenario, *c->problem), *c->outcome);
  ReportFigures shown = reportFigures(c, sources);
  const double error = words::ratioError(c->problem->program, c->problem->error);
  if (ReportPart part = improvementsPart(improvements, error); part.table)
    report.parts.insert(
        std::find_if(report.parts.begin(), report.parts.end(),
                     [](const ReportPart& p) { return p.id == "options" || p.id == "search"; }),
        std::move(part));
  if (!shown.leftOut.empty())
    report.parts.push_back(
        {.id = "left-out", .title = "Not in this report", .items = std::move(shown.leftOut)});
  return written(report, shown.figures, {{&scenario, choice.fileName.toStdString()}}, format, choice);
}

namespace {

constexpr const char *kBefore = "before", *kAfter = "after";

/// Both sides of a what-if have one name: the page says which of them it means.
std::string nameOfSide(const Scenario& s, const char* which) {
  return s.name.empty() ? std::string() : s.name + ", " + which;
}

PlanContextPtr renamed(const PlanContextPtr& c, const std::string& name) {
  auto scenario = std::make_shared<Scenario>(*c->scenario);
  scenario->name = name;
  auto out = std::make_shared<PlanContext>(*c);
  out->scenario = std::move(scenario);
  return out;
}

}  // namespace

QByteArray differenceReportOf(const PlanContextPtr& first, const PlanContextPtr& second, ReportFormat format,
                              const ReportChoice& choice) {
  const Scenario before = standingAlone(*first->scenario), after = standingAlone(*second->scenario);
  const bool haveOneName = before.name == after.name;
  const auto side = [&](const Scenario& s, const PlanContext& c, const char* which) {
    DifferenceSide out{reportSource(s, *c.problem), &s, c.plan.get(), c.outcome.get()};
    if (haveOneName) out.source.scenario = nameOfSide(s, which);
    return out;
  };
  const QString own = choice.fileName;
  const QString other = choice.firstFileName.isEmpty() || choice.firstFileName == own
                            ? QStringLiteral("before-") + own
                            : choice.firstFileName;
  const auto shown = [&](const PlanContextPtr& c, const char* which) {
    return haveOneName ? renamed(c, nameOfSide(*c->scenario, which)) : c;
  };
  return written(differenceReportOf(side(before, *first, kBefore), side(after, *second, kAfter)),
                 differenceFigures(shown(first, kBefore), shown(second, kAfter)),
                 {{&before, other.toStdString()}, {&after, own.toStdString()}}, format, choice);
}

}  // namespace nest

#include "report.moc"
