#include "slides/slides_pdf.h"

#include <QPainter>

#include "document/kept_plans.h"
#include "export/pdf_pages.h"
#include "export/svg_device.h"
#include "slides/slide_edits.h"
#include "slides/slide_renderer.h"

namespace nest {

QByteArray slidesAsPdf(const Scenario& s, const PlanContextPtr& own) {
  PdfPages pages(QString::fromStdString(s.name), kSlide);
  QPainter& painter = pages.painter();
  KeptContexts contexts;
  for (std::size_t i = 0; i < s.slides.size(); ++i) {
    if (i > 0) pages.nextPage();
    const SavedSlide& slide = s.slides[i];
    painter.save();
    SlideRenderer(slide, contextOf(slide, s, own, contexts), s, Theme::Kind::Print)
        .paint(painter, footOf(s, static_cast<int>(i)));
    painter.restore();
  }
  return pages.finish();
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
