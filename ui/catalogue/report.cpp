#include "catalogue/report.h"

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextObjectInterface>
#include <algorithm>
#include <memory>
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

constexpr QSizeF kA4(793.7, 1122.5);        ///< px at 96 dpi
constexpr long long kMostWork = 2'000'000;  ///< of the search, for what improvements would bring
constexpr double kPageWidth = 672;          ///< of the text on A4, px at 96 dpi

/// Draws the figures into the lines of a text document.
class FigureObjects : public QObject, public QTextObjectInterface {
  Q_OBJECT
  Q_INTERFACES(QTextObjectInterface)
public:
  static constexpr int kType = QTextFormat::UserObject + 1;
  static constexpr int kIndex = QTextFormat::UserProperty + 1;

  explicit FigureObjects(const std::vector<ReportFigure>& figures) : m_figures(figures) {}

  QSizeF intrinsicSize(QTextDocument*, int, const QTextFormat& format) override {
    return of(format).size * scaleOf(of(format));
  }
  void drawObject(QPainter* painter, const QRectF& area, QTextDocument*, int,
                  const QTextFormat& format) override {
    const ReportFigure& f = of(format);
    painter->save();
    painter->translate(area.topLeft());
    painter->scale(area.width() / f.size.width(), area.width() / f.size.width());
    paintReportFigure(*painter, f, Theme::Kind::Print);
    painter->restore();
  }

private:
  const ReportFigure& of(const QTextFormat& format) const {
    return m_figures[static_cast<std::size_t>(format.property(kIndex).toInt())];
  }
  static double scaleOf(const ReportFigure& f) { return kPageWidth / f.size.width(); }

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
QByteArray pdfOf(const std::pair<std::string, std::string>& halves, const QString& title,
                 const std::vector<ReportFigure>& figures, const std::vector<PageScenario>& scenarios) {
  const auto& [before, after] = halves;
  QTextDocument document;
  FigureObjects objects(figures);
  document.documentLayout()->registerHandler(FigureObjects::kType, &objects);
  document.setDefaultFont(Theme::font(12));
  document.setDefaultStyleSheet(
      QStringLiteral("h1 { font-size: 13px; font-weight: 500; color: #444b54; } "
                     "h2 { font-size: 14px; font-weight: 500; margin-top: 16px; margin-bottom: 4px; } "
                     "b { font-size: 24px; } th { color: #444b54; font-weight: 400; font-size: 9px; } "
                     "td { font-size: 9px; } .l { text-align: left; }"));
  QTextCursor cursor(&document);
  cursor.insertHtml(QString::fromStdString(before));
  for (std::size_t i = 0; i < figures.size(); ++i) {
    cursor.movePosition(QTextCursor::End);
    QTextBlockFormat above;
    above.setHeadingLevel(2);
    above.setTopMargin(16);
    QTextCharFormat heading;
    heading.setFont(Theme::font(14));
    heading.setFontWeight(QFont::Medium);
    cursor.insertBlock(above, heading);
    cursor.insertText(figures[i].title);
    cursor.insertBlock(QTextBlockFormat(), QTextCharFormat());
    QTextCharFormat format;
    format.setObjectType(FigureObjects::kType);
    format.setProperty(FigureObjects::kIndex, static_cast<int>(i));
    cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
    cursor.insertBlock(QTextBlockFormat(), QTextCharFormat());
  }
  cursor.insertHtml(QString::fromStdString(after));
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

  PdfPages pages(title, kA4, {writeScenario(*scenarios.back().scenario), {}});
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

/// A page is sent without the files around it.
Scenario alone(const PlanContext& c) {
  Scenario s = *c.scenario;
  s.model.reference.clear();
  return s;
}

QByteArray written(const PlanReport& report, const std::vector<ReportFigure>& figures,
                   std::vector<PageScenario> scenarios, ReportFormat format, const QString& date) {
  PageContent content;
  content.program = "NEST Explorer " NEST_VERSION;
  content.date = date.toStdString();
  content.saving = format == ReportFormat::Pdf ? "from the list of attachments"
                   : scenarios.size() == 1     ? "with the button below"
                                               : "with the buttons below";
  if (format == ReportFormat::Pdf) scenarios.back().fileName = attachmentName({});
  content.scenarios = scenarios;
  if (format == ReportFormat::Pdf)
    return pdfOf(reportHalves(report, content),
                 QString::fromStdString(report.title.empty() ? std::string() : report.title.front()), figures,
                 scenarios);
  PageFigures page;
  for (const ReportFigure& f : figures)
    content.figures.push_back({f.id.toStdString(), f.title.toStdString(), page.svgOf(f).toStdString()});
  content.style = page.style().toStdString();
  return QByteArray::fromStdString(writeReportPage(report, content));
}

}  // namespace

QByteArray reportOf(const PlanContextPtr& c, ReportFormat format, const ReportChoice& choice) {
  const Scenario scenario = alone(*c);
  PlanReport report = reportOf(reportSource(scenario, *c->problem), *c->outcome);
  if (const RankedPlan* best = c->outcome->best()) {
    // By work, not by time: the same page on every machine.
    Control control;
    control.work = std::make_shared<WorkLimit>(kMostWork);
    const double error = words::ratioError(c->problem->program, c->problem->error);
    ReportPart part =
        improvementsPart(rankImprovements(scenario.setting(), *c->problem, *best, 0.25, control), error);
    if (part.table)
      report.parts.insert(
          std::find_if(report.parts.begin(), report.parts.end(),
                       [](const ReportPart& p) { return p.id == "options" || p.id == "search"; }),
          std::move(part));
  }
  return written(report, reportFigures(c), {{&scenario, choice.fileName.toStdString()}}, format, choice.date);
}

QByteArray differenceReportOf(const PlanContextPtr& first, const PlanContextPtr& second, ReportFormat format,
                              const ReportChoice& choice) {
  const Scenario before = alone(*first), after = alone(*second);
  const auto side = [](const Scenario& s, const PlanContext& c) {
    return DifferenceSide{reportSource(s, *c.problem), &s, c.plan.get(), c.outcome.get()};
  };
  const QString own = choice.fileName;
  const QString other = choice.firstFileName.isEmpty() || choice.firstFileName == own
                            ? QStringLiteral("before-") + own
                            : choice.firstFileName;
  return written(differenceReportOf(side(before, *first), side(after, *second)),
                 differenceFigures(first, second),
                 {{&before, other.toStdString()}, {&after, own.toStdString()}}, format, choice.date);
}

}  // namespace nest

#include "report.moc"
