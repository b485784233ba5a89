#include "slides/slides_pdf.h"

#include <QBuffer>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>

#include "document/kept_plans.h"
#include "export/svg_device.h"
#include "slides/slide_edits.h"
#include "slides/slide_renderer.h"

namespace nest {

QByteArray slidesAsPdf(const Scenario& s, const PlanContextPtr& own) {
  constexpr int kResolution = 1200;
  QByteArray out;
  QBuffer buffer(&out);
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  writer.setResolution(kResolution);
  writer.setTitle(QString::fromStdString(s.name));
  writer.setCreator(QStringLiteral("NEST Explorer"));
  writer.setPageSize(QPageSize(kSlide * 72.0 / 96.0, QPageSize::Point, {}, QPageSize::ExactMatch));
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  QPainter painter(&writer);
  painter.setRenderHint(QPainter::LosslessImageRendering);  // a heatmap is no photograph
  painter.scale(kResolution / 96.0, kResolution / 96.0);
  KeptContexts contexts;
  for (std::size_t i = 0; i < s.slides.size(); ++i) {
    if (i > 0) writer.newPage();
    const SavedSlide& slide = s.slides[i];
    painter.save();
    SlideRenderer(slide, contextOf(slide, s, own, contexts), s, Theme::Kind::Print)
        .paint(painter, footOf(s, static_cast<int>(i)));
    painter.restore();
  }
  painter.end();
  return out;
}

std::vector<QByteArray> slidesAsSvg(const Scenario& s, const PlanContextPtr& own) {
  std::vector<QByteArray> out;
  KeptContexts contexts;
  for (std::size_t i = 0; i < s.slides.size(); ++i) {
    const SavedSlide& slide = s.slides[i];
    const SlideRenderer sight(slide, contextOf(slide, s, own, contexts), s, Theme::Kind::Print);
    SvgDevice device(kSlide, sight.caption(), sight.sentences().join(u'\n'));
    QPainter painter(&device);
    sight.paint(painter, footOf(s, static_cast<int>(i)));
    painter.end();
    out.push_back(device.svg());
  }
  return out;
}

}  // namespace nest
