#include "export/figure_export.h"

#include <QBuffer>
#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "export/date_text.h"
#include "export/pdf_pages.h"
#include "export/svg_device.h"
#include "export/svg_fonts.h"
#include "figures/paint/phrases.h"
#include "formats/results/report_page.h"
#include "formats/results/summary_text.h"
#include "formats/scenario/scenario_json.h"
#include "scenario/scenario.h"
#include "text/printable.h"

namespace nest {
namespace {

constexpr double kFooterHeight = 20;
constexpr double kPaperWidth = 1200;

/// Of the whole page.
QSizeF sizeOf(const Figure& figure, const PlanContext& c, const ExportOptions& o) {
  if (!o.size.isEmpty()) return o.size;
  return paperSizeOf(figure, c) + QSizeF(0, o.hasFooter ? kFooterHeight : 0);
}

QString footerOf(const PlanContext& c) {
  QStringList parts;
  if (c.scenario && !c.scenario->name.empty()) parts << phrase(printable(c.scenario->name, false));
  parts << dateText() << QStringLiteral("NEST Explorer " NEST_VERSION);
  if (c.scenario) parts << QString::fromStdString(shortHashOf(*c.scenario));
  return parts.join(QStringLiteral(" · "));
}

void paintFooter(QPainter& painter, const QRectF& area, const QString& text, const Theme& theme) {
  painter.setFont(Theme::font(10.5));
  painter.setPen(theme.color(Theme::Role::MutedText));
  const QRectF line = area.adjusted(12, 0, -12, 0);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(text, Qt::ElideLeft, static_cast<int>(line.width())));
}

FigureStyle styleOf(const ExportOptions& o) {
  FigureStyle style;
  style.theme = &Theme::of(o.theme);
  style.standalone = true;
  return style;
}

/// From layout pixels to those of the file.
double scaleOf(ExportFormat format, const QSizeF& size, const ExportOptions& o) {
  return format == ExportFormat::Png ? o.pixelWidth / size.width() : 1.0;
}

using PaintPage = std::function<void(QPainter&)>;

QByteArray renderSvg(const FigurePage& page, const PaintPage& paint) {
  SvgFonts fonts;
  SvgDevice device(page.size, page.title, page.description, page.isOutlined ? nullptr : &fonts);
  QPainter painter(&device);
  paint(painter);
  painter.end();
  return device.svg(fonts.css());
}

QByteArray renderPdf(const FigurePage& page, const PaintPage& paint) {
  PdfPages pages(page.title, page.size, page.inside);
  paint(pages.painter());
  return pages.finish();
}

QImage renderImage(const FigurePage& page, const PaintPage& paint) {
  QImage image((page.size * page.scale).toSize(), QImage::Format_RGB32);
  image.fill(Theme::of(page.theme).color(Theme::Role::Canvas));
  image.setDotsPerMeterX(static_cast<int>(std::lround(96 * page.scale / 0.0254)));
  image.setDotsPerMeterY(image.dotsPerMeterX());
  QPainter painter(&image);
  paint(painter);
  return image;
}

QByteArray render(const FigurePage& page, const PaintPage& paint) {
  const auto holding = [&page](const QByteArray& file) {
    return page.inside.text.empty()
               ? file
               : QByteArray::fromStdString(withEmbedded(file.toStdString(), page.inside));
  };
  if (page.format == ExportFormat::Svg) return holding(renderSvg(page, paint));
  if (page.format == ExportFormat::Pdf) return renderPdf(page, paint);
  QByteArray out;
  QBuffer buffer(&out);
  buffer.open(QIODevice::WriteOnly);
  renderImage(page, paint).save(&buffer, "PNG");
  return holding(out);
}

/// A scenario that holds measured profiles may be larger than its pictures; then they go without it.
constexpr std::size_t kMostInside = 4u << 20;

/// What the figure is of: the setting alone, without other plans and slides. A plan by hand
/// goes with it, kept under the figure's name.
EmbeddedScenario insideOf(const Figure& figure, const PlanContext& c) {
  if (!c.scenario || !c.problem) return {};
  Scenario s = standingAlone(*c.scenario);
  s.keptPlans.clear();
  s.slides.clear();
  if (c.plan && c.outcome && c.outcome->best() != c.plan.get())
    s.keptPlans.push_back({figure.title().toStdString(), std::make_shared<const Setting>(s.setting()),
                           std::make_shared<const Plan>(c.plan->plan)});
  EmbeddedScenario out{writeScenario(s), figure.id().toStdString()};
  if (out.text.size() > kMostInside) out.text.clear();
  return out;
}

FigurePage pageFor(const Figure& figure, const PlanContext& c, ExportFormat format, const ExportOptions& o) {
  const QSizeF size = sizeOf(figure, c, o);
  return {format,
          size,
          scaleOf(format, size, o),
          o.hasFooter ? footerOf(c) : QString(),
          o.theme,
          figure.title(),
          format == ExportFormat::Svg ? figure.asText(c).section(u'\n', 0, 1) : QString(),
          insideOf(figure, c),
          o.isOutlined};
}

PaintPage painterOf(const Figure& figure, const PlanContext& c, const FigurePage& page,
                    const ExportOptions& o) {
  return [&](QPainter& painter) {
    painter.scale(page.scale, page.scale);
    QRectF area(QPointF(), page.size);
    if (!page.footer.isEmpty()) {
      const QRectF foot(0, area.bottom() - kFooterHeight, area.width(), kFooterHeight);
      painter.fillRect(foot, Theme::of(o.theme).color(Theme::Role::Canvas));
      area.setBottom(foot.top());
      painter.save();
      paintFooter(painter, foot, page.footer, Theme::of(o.theme));
      painter.restore();
    }
    figure.paint(painter, area, c, styleOf(o));
  };
}

}  // namespace

QSizeF paperSizeOf(const Figure& figure, const PlanContext& c) {
  return {kPaperWidth, figure.preferredSize(c).height()};
}

QString suffixOf(ExportFormat f) {
  return f == ExportFormat::Svg   ? QStringLiteral("svg")
         : f == ExportFormat::Pdf ? QStringLiteral("pdf")
                                  : QStringLiteral("png");
}

QImage imageOf(const Figure& figure, const PlanContext& c, const ExportOptions& o) {
  const FigurePage page = pageFor(figure, c, ExportFormat::Png, o);
  return renderImage(page, painterOf(figure, c, page, o));
}

void copyAsImage(const Figure& figure, const PlanContext& c, const ExportOptions& options) {
  auto* content = new QMimeData;
  content->setImageData(imageOf(figure, c, options));
  ExportOptions outlined = options;
  outlined.isOutlined = true;  // slide programs know no fonts inside of pictures
  content->setData(QStringLiteral("image/svg+xml"), renderFigure(figure, c, ExportFormat::Svg, outlined));
  QGuiApplication::clipboard()->setMimeData(content);
}

QImage thumbnailOf(const Figure& figure, const PlanContext& c, const QSize& size, Theme::Kind theme) {
  // Laid out larger than shown, so that folding and labels are those of a real figure.
  constexpr double kLayoutWidth = 640;
  const double scale = size.width() / kLayoutWidth;
  QImage image(size, QImage::Format_RGB32);
  image.fill(Theme::of(theme).color(Theme::Role::Canvas));
  QPainter painter(&image);
  painter.scale(scale, scale);
  FigureStyle style;
  style.theme = &Theme::of(theme);
  figure.paint(painter, QRectF(0, 0, kLayoutWidth, size.height() / scale), c, style);
  return image;
}

QByteArray renderFigure(const Figure& figure, const PlanContext& c, ExportFormat format,
                        const ExportOptions& o) {
  const FigurePage page = pageFor(figure, c, format, o);
  return render(page, painterOf(figure, c, page, o));
}

PaintedFigure paintedFigure(const Figure& figure, const PlanContext& c, ExportFormat format,
                            const ExportOptions& o) {
  const FigurePage page = pageFor(figure, c, format, o);
  PaintTape tape(page.size * page.scale);
  QPainter painter(&tape);
  painterOf(figure, c, page, o)(painter);
  painter.end();
  return {page, std::move(tape)};
}

QByteArray PaintedFigure::content() const {
  return render(page, [this](QPainter& painter) { tape.play(painter); });
}

QString summaryText(const PlanContext& c) {
  if (!c.problem || !c.outcome) {
    QString out = scenarioText(c) + u'\n';
    for (const Diagnostic& d : c.diagnostics) out += phrase(toText(d)) + u'\n';
    return out + (c.problem ? QStringLiteral("Not solved.\n") : QString());
  }
  ReportSource source;
  source.scenario = c.scenario ? c.scenario->name : std::string();
  source.problem = c.problem.get();
  if (c.scenario && c.scenario->model.architecture) source.architecture = &*c.scenario->model.architecture;
  return phrase(summaryText(source, *c.outcome));
}

}  // namespace nest
