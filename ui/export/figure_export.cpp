#include "export/figure_export.h"

#include <QBuffer>
#include <QClipboard>
#include <QGuiApplication>
#include <QMarginsF>
#include <QMimeData>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <algorithm>
#include <cmath>

#include "export/svg_device.h"
#include "figures/paint/phrases.h"
#include "formats/results/summary_text.h"

namespace nest {
namespace {

QSizeF sizeOf(const Figure& figure, const PlanContext& c, const ExportOptions& o) {
  return o.size.isEmpty() ? figure.preferredSize(c) : o.size;
}

FigureStyle styleOf(const ExportOptions& o) {
  FigureStyle style;
  style.theme = &Theme::of(o.theme);
  style.standalone = true;
  return style;
}

QByteArray renderSvg(const Figure& figure, const PlanContext& c, const ExportOptions& o) {
  const QSizeF size = sizeOf(figure, c, o);
  SvgDevice device(size, figure.title(), figure.asText(c).section(u'\n', 0, 1));
  QPainter painter(&device);
  figure.paint(painter, QRectF(QPointF(0, 0), size), c, styleOf(o));
  painter.end();
  return device.svg();
}

QByteArray renderPdf(const Figure& figure, const PlanContext& c, const ExportOptions& o) {
  constexpr int kResolution = 1200;
  const QSizeF size = sizeOf(figure, c, o);
  QByteArray out;
  QBuffer buffer(&out);
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setResolution(kResolution);
  writer.setTitle(figure.title());
  writer.setCreator(QStringLiteral("NEST Explorer"));
  writer.setPageSize(QPageSize(size * 72.0 / 96.0, QPageSize::Point, {}, QPageSize::ExactMatch));
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  QPainter painter(&writer);
  painter.setRenderHint(QPainter::LosslessImageRendering);  // a heatmap is no photograph
  painter.scale(kResolution / 96.0, kResolution / 96.0);
  figure.paint(painter, QRectF(QPointF(0, 0), size), c, styleOf(o));
  painter.end();
  return out;
}

}  // namespace

QString suffixOf(ExportFormat f) {
  return f == ExportFormat::Svg   ? QStringLiteral("svg")
         : f == ExportFormat::Pdf ? QStringLiteral("pdf")
                                  : QStringLiteral("png");
}

QImage imageOf(const Figure& figure, const PlanContext& c, const ExportOptions& o) {
  const QSizeF size = sizeOf(figure, c, o);
  const double scale = o.pixelWidth / size.width();
  QImage image((size * scale).toSize(), QImage::Format_RGB32);
  image.fill(Theme::of(o.theme).color(Theme::Role::Canvas));
  image.setDotsPerMeterX(static_cast<int>(std::lround(96 * scale / 0.0254)));
  image.setDotsPerMeterY(image.dotsPerMeterX());
  QPainter painter(&image);
  painter.scale(scale, scale);
  figure.paint(painter, QRectF(QPointF(0, 0), size), c, styleOf(o));
  return image;
}

void copyAsImage(const Figure& figure, const PlanContext& c, const ExportOptions& options) {
  auto* content = new QMimeData;
  content->setImageData(imageOf(figure, c, options));
  content->setData(QStringLiteral("image/svg+xml"), renderFigure(figure, c, ExportFormat::Svg, options));
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
  if (format == ExportFormat::Svg) return renderSvg(figure, c, o);
  if (format == ExportFormat::Pdf) return renderPdf(figure, c, o);
  QByteArray out;
  QBuffer buffer(&out);
  buffer.open(QIODevice::WriteOnly);
  imageOf(figure, c, o).save(&buffer, "PNG");
  return out;
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
