#include "catalogue/report_figures.h"

#include <QPainter>
#include <QTextDocumentFragment>
#include <algorithm>

#include "catalogue/registry.h"
#include "export/svg_device.h"
#include "fields/setting_difference.h"
#include "figures/paint/figure_report.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/plan/focus.h"
#include "figures/plan/waterfall_figure.h"
#include "figures/study/comparison_figure.h"
#include "figures/study/curve_figure.h"
#include "figures/study/sweep_figure.h"
#include "measures/pace.h"
#include "study/report_parts.h"
#include "text/printable.h"
#include "theme/qt_text.h"
#include "units/text.h"
#include "words/metric_words.h"

namespace nest {
namespace {

constexpr double kWidth = 1060;
constexpr double kMostHeight = 580;
constexpr std::size_t kMostCompared = 12;  ///< bars that can be read at kMostHeight
constexpr int kMostDevices = 2048;         ///< more shapes than this are smaller than a pointer

/// Where a colour or a picture begins and ends in SVG; the rest is its shape.
struct Paint {
  qsizetype begin, end;
};
Paint nextPaint(const QByteArray& svg, qsizetype from) {
  for (qsizetype at = svg.indexOf('"', from); at >= 0; at = svg.indexOf('"', at + 1)) {
    const bool isColour = at + 8 < svg.size() && svg[at + 1] == '#' && svg[at + 8] == '"';
    if (isColour) return {at + 1, at + 8};
    if (QByteArrayView(svg).sliced(at + 1).startsWith("data:image/png;"))
      return {at + 1, svg.indexOf('"', at + 1)};
  }
  return {svg.size(), svg.size()};
}

/// Every stage, and in a figure that shows devices every device.
std::vector<SelectionItem> itemsOf(const ReportFigure& f) {
  std::vector<SelectionItem> out;
  const PlanContext& c = *f.context;
  const Plan* plan = c.shownPlan();
  if (!plan || !f.hasTips) return out;
  for (int s = 0; s < static_cast<int>(plan->stages.size()); ++s) out.push_back({ItemKind::Stage, s});
  const int devices = c.problem->cluster->deviceCount();
  if (f.figure->id() == QLatin1String("topology") && devices <= kMostDevices) {
    out.clear();
    for (int d = 0; d < devices; ++d) out.push_back({ItemKind::Device, d});
  }
  return out;
}

QByteArray overlay(const ReportFigure& f) {
  QByteArray out;
  const PlanContext& c = *f.context;
  std::vector<QRectF> taken;  // folded boxes stand for many devices
  for (const SelectionItem& item : itemsOf(f)) {
    const auto stage = stageOf(item, c);
    const auto place = f.figure->locate(item, f.area(), c);
    if (!stage || !place || place->area.isEmpty()) continue;
    if (!taken.empty() && taken.back() == place->area) continue;
    taken.push_back(place->area);
    const auto number = [](double v) { return QByteArray::number(v, 'f', 1); };
    out += "<rect data-stage=\"" + QByteArray::number(*stage) + "\" x=\"" + number(place->area.x()) +
           "\" y=\"" + number(place->area.y()) + "\" width=\"" + number(place->area.width()) +
           "\" height=\"" + number(place->area.height()) + "\"><title>" +
           QTextDocumentFragment::fromHtml(place->tip).toPlainText().toHtmlEscaped().toUtf8() +
           "</title></rect>\n";
  }
  return out;
}

/// "Run: state the failures of a device to see what they cost".
std::string whyLeftOut(const Figure& figure, const PlanContext& c) {
  const QString says = figure.asText(c).trimmed().replace(u'\n', QStringLiteral(". "));
  return (figure.title() + QStringLiteral(": ") + inSentence(says)).toStdString();
}

ReportFigure onPage(std::unique_ptr<InteractiveFigure> figure, const PlanContextPtr& c) {
  const QSizeF wanted = figure->preferredSize(*c);
  const double height = std::min(kMostHeight, wanted.height() * std::max(1.0, kWidth / wanted.width()));
  const QString id = figure->id(), title = figure->title();
  const QString finding = figureReport(*figure, kWideFigure, *c).sentence;
  return {id, title, finding, std::move(figure), QSizeF(kWidth, height), c};
}

/// Null: there is no plan at any value, and `why` is set.
std::unique_ptr<InteractiveFigure> studyFigure(const StudyRecord& study, std::string& why) {
  const auto runs = [](const StudyRecord::Result& r) { return r.y > 0; };
  if (std::none_of(study.results.begin(), study.results.end(), runs)) {
    why = "Study: no plan was found at any value of " + study.acrossName;
    return nullptr;
  }
  if (!study.upName.empty()) {
    auto sweep = std::make_unique<SweepFigure>();
    sweep->setRecord(study);
    return sweep;
  }
  auto curve = std::make_unique<CurveFigure>();
  curve->setRecord(study);
  return curve;
}

/// The plan of the context, then the others. All stand in the table, the first of them in the figure.
ReportFigure comparedOnPage(const PlanContextPtr& c, const std::vector<View::PlanBeside>& others) {
  std::vector<ComparisonFigure::Row> rows;
  const auto add = [&](const QString& name, const PlanContext& of) {
    rows.push_back(ComparisonFigure::rowOf(name, of.scenario.get(), *of.problem, *of.plan));
  };
  if (c->plan) add(QStringLiteral("This plan"), *c);
  for (const View::PlanBeside& b : others) add(b.name, *b.context);
  TextTable table({{"", TextTable::Align::Left},
                   {"step time"},
                   {"throughput"},
                   {"fullest device"},
                   {"plan", TextTable::Align::Left}});
  for (const ComparisonFigure::Row& r : rows)
    table.add({r.name.toStdString(), r.runs() ? text::time(r.metrics.batchTime) : r.obstacle.toStdString(),
               r.runs() ? tokensRate(r.pace.tokensPerSecond()) : "–", words::memory(r.metrics),
               r.plan.toStdString()});
  if (rows.size() > kMostCompared) rows.resize(kMostCompared);
  auto figure = std::make_unique<ComparisonFigure>();
  figure->setRows(std::move(rows));
  ReportFigure out = onPage(std::move(figure), c);
  out.table = std::move(table);
  return out;
}

}  // namespace

QRectF ReportFigure::area() const {
  return {QPointF(0, finding.isEmpty() ? 0 : -kSentenceBand), size};
}

std::vector<ReportFigure> planReportFigures(const PlanContextPtr& c) {
  std::vector<ReportFigure> out;
  for (auto& figure : planFigures())
    if (figure->hasContent(*c)) out.push_back(onPage(std::move(figure), c));
  return out;
}

ReportFigures reportFigures(const PlanContextPtr& c, const ReportSources& sources) {
  ReportFigures out{planReportFigures(c), {}};
  for (const auto& figure : planFigures())
    if (!figure->hasContent(*c)) out.leftOut.push_back(whyLeftOut(*figure, *c));
  if (sources.study) {
    std::string why;
    if (auto figure = studyFigure(*sources.study, why)) {
      ReportFigure f = onPage(std::move(figure), c);
      f.hasTips = false;
      f.table = studyTable(*sources.study);
      out.figures.push_back(std::move(f));
    } else {
      out.leftOut.push_back(std::move(why));
    }
  }
  if (sources.compared.empty())
    out.leftOut.emplace_back("Compare: the scenario keeps no other plan; keep one to compare it here");
  else
    out.figures.push_back(comparedOnPage(c, sources.compared));
  return out;
}

std::vector<ReportFigure> differenceFigures(const PlanContextPtr& first, const PlanContextPtr& second) {
  std::vector<ReportFigure> out;
  const auto nameOf = [](const PlanContext& c, const QString& otherwise) {
    const QString name = phrase(printable(c.scenario->name, false));
    return name.isEmpty() ? otherwise : name;
  };
  const QString names[] = {nameOf(*first, QStringLiteral("First")),
                           nameOf(*second, QStringLiteral("Second"))};
  if (first->plan && second->plan) {
    auto waterfall = std::make_unique<WaterfallFigure>();
    waterfall->setSides({names[0], first->plan, first->problem}, {names[1], second->plan, second->problem});
    waterfall->setScenarioChange(
        toQt(settingDifference(first->scenario->setting(), second->scenario->setting())));
    ReportFigure f = onPage(std::move(waterfall), second);
    f.title = QStringLiteral("Difference");
    f.hasTips = false;
    out.push_back(std::move(f));
  }
  for (const char* id : {"stages", "memory"})
    for (const bool isSecond : {false, true})
      for (auto& figure : planFigures()) {
        const PlanContextPtr& c = isSecond ? second : first;
        if (figure->id() != QLatin1String(id) || !figure->hasContent(*c)) continue;
        ReportFigure f = onPage(std::move(figure), c);
        f.id += isSecond ? QStringLiteral("-second") : QStringLiteral("-first");
        f.title += QStringLiteral(": ") + names[isSecond];
        out.push_back(std::move(f));
      }
  return out;
}

void paintReportFigure(QPainter& painter, const ReportFigure& f, Theme::Kind theme) {
  FigureStyle style;
  style.theme = &Theme::of(theme);
  FigureReport unused;
  if (!f.finding.isEmpty()) style.report = &unused;
  f.figure->paint(painter, f.area(), *f.context, style);
}

QByteArray PageFigures::inBothThemes(const QByteArray& light, const QByteArray& dark) {
  const QByteArray onPaper = "<svg class=\"paper\"" + light.mid(4);
  QByteArray out;
  for (qsizetype i = 0, j = 0;;) {
    const Paint a = nextPaint(light, i), b = nextPaint(dark, j);
    // Other shapes, as where two colours are one in the other theme: then paper stays paper.
    const auto between = QByteArrayView(light).sliced(i, a.begin - i);
    if (between != QByteArrayView(dark).sliced(j, b.begin - j)) return onPaper;
    out += between;
    if (a.begin == light.size()) return out;
    const QByteArray first = light.mid(a.begin, a.end - a.begin), second = dark.mid(b.begin, b.end - b.begin);
    i = a.end, j = b.end;
    if (first == second) {
      out += first;
      continue;
    }
    if (!first.startsWith('#') && !second.startsWith('#')) {
      // Two pictures, of which the page shows one.
      const qsizetype tag = out.lastIndexOf("<image"), end = light.indexOf('>', i) + 1;
      if (tag < 0 || end == 0) return onPaper;
      const QByteArray head = out.mid(tag + 6), tail = light.mid(i, end - i);
      out.truncate(tag);
      out += "<image class=\"on-light\"" + head + first + tail + "<image class=\"on-dark\"" + head + second +
             tail;
      i = end, j += tail.size();
      continue;
    }
    if (!first.startsWith('#') || !second.startsWith('#')) return onPaper;
    qsizetype index = m_colours.indexOf({first, second});
    if (index < 0) index = m_colours.size(), m_colours.append({first, second});
    out += "var(--c" + QByteArray::number(index) + ')';
  }
}

QByteArray PageFigures::svgOf(const QSizeF& size, const QString& title, const QString& description,
                              const Drawing& paint) {
  const auto painted = [&](Theme::Kind theme) {
    SvgDevice device(size, title, description, &m_fonts);
    QPainter painter(&device);
    paint(painter, theme);
    painter.end();
    QByteArray svg = device.svg();
    svg.remove(0, svg.indexOf("<svg"));
    const QByteArray prefix =
        "f" + QByteArray::number(m_count) + '-';  // names are of a page, not of a figure
    for (const char* reference : {"id=\"", "href=\"#", "url(#"}) svg.replace(reference, reference + prefix);
    return svg;
  };
  const QByteArray svg = inBothThemes(painted(Theme::Kind::Light), painted(Theme::Kind::Dark));
  ++m_count;
  return svg;
}

QByteArray PageFigures::svgOf(const ReportFigure& f) {
  QByteArray svg =
      svgOf(f.shownSize(), f.figure->title(), f.figure->asText(*f.context).section(u'\n', 0, 1),
            [&f](QPainter& painter, Theme::Kind theme) { paintReportFigure(painter, f, theme); });
  svg.insert(svg.lastIndexOf("</svg>"), overlay(f));
  return svg;
}

PageFigure PageFigures::pageFigure(const ReportFigure& f) {
  return {f.id.toStdString(), f.title.toStdString(), svgOf(f).toStdString(), f.finding.toStdString(),
          f.table};
}

QByteArray PageFigures::style() {
  // The page's own text is in the same font, whatever it says.
  QString letters = QStringLiteral("·×÷±−–—…→≈≤≥µ²³°“”’éöü");
  for (char16_t c = 32; c < 127; ++c) letters += QChar(c);
  for (const bool isBold : {false, true}) m_fonts.include(Theme::font(15, isBold), letters);
  QByteArray light = ":root { ", dark = "@media screen and (prefers-color-scheme: dark) { :root { ";
  for (qsizetype i = 0; i < m_colours.size(); ++i) {
    const QByteArray name = "--c" + QByteArray::number(i) + ": ";
    light += name + m_colours[i].first + "; ";
    dark += name + m_colours[i].second + "; ";
  }
  return light + "}\n" + dark +
         "} .on-light { display: none; } }\n"
         "@media not screen { .on-dark { display: none; } }\n"
         "@media screen and (prefers-color-scheme: light) { .on-dark { display: none; } }\n"
         "svg.paper { background: #ffffff; }\nbody { font-family: " +
         SvgFonts::familiesOf(QRawFont::fromFont(Theme::font(15))) + "; }\n" + m_fonts.css();
}

}  // namespace nest
