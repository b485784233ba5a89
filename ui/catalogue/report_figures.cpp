#include "catalogue/report_figures.h"

#include <QPainter>
#include <QTextDocumentFragment>
#include <algorithm>

#include "catalogue/registry.h"
#include "export/svg_device.h"
#include "fields/setting_difference.h"
#include "figures/paint/phrases.h"
#include "figures/plan/focus.h"
#include "figures/plan/waterfall_figure.h"
#include "text/printable.h"
#include "theme/qt_text.h"

namespace nest {
namespace {

constexpr double kWidth = 1060;
constexpr double kMostHeight = 580;
constexpr int kMostDevices = 2048;  ///< more shapes than this are smaller than a pointer

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
    const auto place = f.figure->locate(item, QRectF(QPointF(), f.size), c);
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

ReportFigure onPage(std::unique_ptr<InteractiveFigure> figure, const PlanContextPtr& c) {
  const QSizeF wanted = figure->preferredSize(*c);
  const double height = std::min(kMostHeight, wanted.height() * std::max(1.0, kWidth / wanted.width()));
  const QString id = figure->id(), title = figure->title();
  return {id, title, std::move(figure), QSizeF(kWidth, height), c};
}

}  // namespace

std::vector<ReportFigure> reportFigures(const PlanContextPtr& c) {
  std::vector<ReportFigure> out;
  for (auto& figure : planFigures())
    if (figure->hasContent(*c)) out.push_back(onPage(std::move(figure), c));
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
    f.title = QStringLiteral("From one step to the other");
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
  f.figure->paint(painter, QRectF(QPointF(), f.size), *f.context, style);
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
      svgOf(f.size, f.figure->title(), f.figure->asText(*f.context).section(u'\n', 0, 1),
            [&f](QPainter& painter, Theme::Kind theme) { paintReportFigure(painter, f, theme); });
  svg.insert(svg.lastIndexOf("</svg>"), overlay(f));
  return svg;
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
