#include "slides/slides_export.h"

#include <QPainter>
#include <string>
#include <utility>

#include "catalogue/report_figures.h"
#include "document/kept_plans.h"
#include "export/pdf_pages.h"
#include "export/svg_device.h"
#include "export/svg_fonts.h"
#include "formats/results/report_page.h"
#include "formats/scenario/embedded_scenario.h"
#include "scenario/scenario.h"
#include "slides/slide_edits.h"
#include "slides/slide_renderer.h"

namespace nest {
namespace {

/// A slide, or one of its steps.
struct DeckPage {
  SavedSlide slide;
  int number, step;
};
std::vector<DeckPage> pagesOf(const Scenario& s) {
  std::vector<DeckPage> out;
  for (std::size_t i = 0; i < s.slides.size(); ++i)
    for (std::size_t step = 0; step <= s.slides[i].steps.size(); ++step)
      out.push_back({atStep(s.slides[i], step), static_cast<int>(i), static_cast<int>(step)});
  return out;
}

}  // namespace

QByteArray slidesAsPdf(const Scenario& s, const PlanContextPtr& own) {
  PdfPages pages(QString::fromStdString(s.name), kSlide);
  QPainter& painter = pages.painter();
  KeptContexts contexts;
  bool isFirst = true;
  for (const auto& [slide, number, step] : pagesOf(s)) {
    if (!std::exchange(isFirst, false)) pages.nextPage();
    painter.save();
    SlideRenderer(slide, contextOf(slide, s, own, contexts), s, Theme::Kind::Print)
        .paint(painter, footOf(s, number, step));
    painter.restore();
  }
  return pages.finish();
}

std::vector<QByteArray> slidesAsSvg(const Scenario& s, const PlanContextPtr& own) {
  std::vector<QByteArray> out;
  KeptContexts contexts;
  for (const auto& [slide, number, step] : pagesOf(s)) {
    const SlideRenderer sight(slide, contextOf(slide, s, own, contexts), s, Theme::Kind::Print);
    SvgFonts fonts;
    SvgDevice device(kSlide, sight.caption(), sight.sentences().join(u'\n'), &fonts);
    QPainter painter(&device);
    sight.paint(painter, footOf(s, number, step));
    painter.end();
    out.push_back(device.svg(fonts.css()));
  }
  return out;
}

QByteArray slidesAsPage(const Scenario& s, const PlanContextPtr& own, const ReportChoice& choice) {
  const Scenario inside = standingAlone(s);
  const PlanReport report = briefReportOf(reportSource(*own->scenario, *own->problem), *own->outcome);
  PageContent content = pageContent({{&inside, choice.fileName.toStdString()}}, ReportFormat::Html, choice);
  PageFigures page;
  KeptContexts contexts;
  for (const DeckPage& p : pagesOf(s)) {
    const SavedSlide& slide = p.slide;
    const PlanContextPtr c = contextOf(slide, s, own, contexts);
    const SlideRenderer light(slide, c, s, Theme::Kind::Light), dark(slide, c, s, Theme::Kind::Dark);
    const auto paint = [&](QPainter& painter, Theme::Kind theme) {
      (theme == Theme::Kind::Dark ? dark : light).paint(painter, footOf(s, p.number, p.step));
    };
    const std::string number = std::to_string(p.number + 1), step = std::to_string(p.step);
    content.figures.push_back(
        {"slide-" + number + (p.step > 0 ? "-step-" + step : ""),
         "Slide " + number + (p.step > 0 ? ", step " + step : ""),
         page.svgOf(kSlide, light.caption(), light.sentences().join(u'\n'), paint).toStdString()});
  }
  content.style = page.style().toStdString();
  return QByteArray::fromStdString(writeReportPage(report, content));
}

}  // namespace nest
