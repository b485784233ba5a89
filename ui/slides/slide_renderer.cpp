#include "slides/slide_renderer.h"

#include <QPainter>
#include <algorithm>
#include <utility>

#include "catalogue/registry.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/interactive_figure.h"
#include "figures/paint/phrases.h"
#include "slides/slide_edits.h"
#include "theme/qt_text.h"
#include "views/view.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr double kSide = 30, kTop = 16, kFoot = 24, kBelow = 10;
constexpr double kFigureSide = 16;    ///< figures have a margin of their own
constexpr double kLeastFigure = 260;  ///< height; before it gets lower, text gets smaller
constexpr double kLineHeight = 1.3;   ///< of a line's height to its size

/// What is wrong with the plan shown, before anything else is said of it; may be empty.
QString verdictOn(const PlanContext& c) {
  QStringList out;
  if (c.byHand) out << QStringLiteral("Cut by hand");
  if (c.outcome && !c.outcome->best() && !c.plan) out << phrase(words::noPlan(*c.outcome).title);
  if (c.plan && !c.plan->evaluation.feasible())
    out << QString::fromLatin1(words::obstacleTo(c.plan->evaluation));
  if (!c.current && c.shownPlan()) out << QStringLiteral("not solved since the last edit");
  return capitalised(out.join(QStringLiteral(", ")));
}

/// Paints where nothing is seen: for what the figure reports.
FigureReport reportOf(const Figure& figure, const QSizeF& size, const PlanContext& c, FigureStyle style) {
  FigureReport report;
  style.report = &report;
  QImage nowhere(1, 1, QImage::Format_RGB32);
  QPainter painter(&nowhere);
  figure.paint(painter, QRectF(QPointF(), size), c, style);
  return report;
}

double heightOf(const QStringList& paragraphs, double width, double size, bool bold) {
  qsizetype lines = 0;
  for (const QString& p : paragraphs) lines += FigurePainter::lines(p, width, size, bold).size();
  return static_cast<double>(lines) * size * kLineHeight;
}

void paintParagraphs(FigurePainter& ink, QRectF box, const QStringList& paragraphs, double size,
                     const QColor& colour, bool bold) {
  for (const QString& p : paragraphs)
    for (const QString& line : FigurePainter::lines(p, box.width(), size, bold)) {
      box.setHeight(size * kLineHeight);
      ink.label(box, line, Qt::AlignLeft | Qt::AlignVCenter, size, colour, bold);
      box.translate(0, size * kLineHeight);
    }
}

}  // namespace

SlideRenderer::SlideRenderer(const SavedSlide& slide, PlanContextPtr context, const Scenario& scenario,
                             Theme::Kind theme, const View* live)
    : m_slide(slide), m_context(std::move(context)), m_theme(theme) {
  Scenario own = m_context->scenario ? *m_context->scenario : scenario;
  own.keptPlans = scenario.keptPlans;
  m_document.reset(std::move(own), {});
  m_selected = selectedIn(m_slide);
  m_selection.setSelected(m_selected);
  const ViewPlace place = placeOf(QString::fromStdString(m_slide.view), m_slide.state);
  for (const ViewEntry& entry : viewRegistry())
    if (entry.id == place.view)
      m_view.reset(entry.make({&m_selection, &m_document, nullptr, false}, nullptr));
  if (m_view) {
    m_view->setTheme(theme);
    m_view->setState(place.state);
    KeptContexts contexts;
    if (auto beside = besideOf(m_slide, m_context, scenario, contexts); !beside.empty())
      m_view->showBeside(std::move(beside));
    if (m_slide.study) m_view->showStudy(*m_slide.study);
    m_view->showBare();
    if (m_slide.table) m_view->showTable(*m_slide.table);
    m_view->setContext(m_context);
    if (const Figure* figure = m_view->figure()) figure->hasContent(*m_context);  // waits for a simulation
    // A view works out what it shows when it comes into sight.
    m_view->setAttribute(Qt::WA_DontShowOnScreen);
    m_view->resize(kSlide.toSize());
    m_view->show();
  }
  if (const auto& head = m_slide.playHead) {
    PlayheadState there{head->seconds, {}};
    for (const auto& t : head->running) there.running.push_back({t.stage, t.task, t.microbatch});
    m_selection.setPlayhead(std::move(there));
  }
  readSentences(live);
  layOut();
}

SlideRenderer::~SlideRenderer() = default;

FigureStyle SlideRenderer::style() const {
  FigureStyle style;
  style.theme = &Theme::of(m_theme);
  style.selected = m_selected;
  style.hovered = m_hovered;
  style.playhead = m_selection.playhead();
  return style;
}

void SlideRenderer::readSentences(const View* live) {
  if (!m_slide.sentence.empty()) {
    m_sentences = QString::fromStdString(m_slide.sentence).split(u'\n');
  } else if (const Figure* figure = m_view ? m_view->figure() : nullptr) {
    const PlanContext& c = *m_view->drawnContext();
    constexpr QSizeF kWide(6000, 480);  // no clause is short of room
    QString sentence = reportOf(*figure, kWide, c, style()).sentence;
    if (figure->hasContent(c) && m_view->isOfOnePlan())
      if (const QString verdict = verdictOn(c); !verdict.isEmpty())
        sentence = sentence.isEmpty() ? verdict : verdict + QStringLiteral(": ") + sentence;
    m_sentences = (live ? live : m_view.get())->slideText(sentence);
    const auto* walked = dynamic_cast<const InteractiveFigure*>(figure);
    if (walked && m_selected) m_sentences << walked->describe(*m_selected, c);
    m_sentences.removeAll(QString());
    m_sentences.removeDuplicates();
    if (m_sentences.isEmpty()) m_sentences << m_view->title();
  }
  m_caption = QString::fromStdString(m_slide.caption);
  if (m_caption.isEmpty() && !m_sentences.isEmpty()) m_caption = m_sentences.front();
  m_text = m_sentences;
  m_text.removeAll(m_caption);
}

/// All of the text, in smaller type where there is much of it; what is left of the page is the figure's. That
/// is painted smaller where this gives room to something it would otherwise leave out.
void SlideRenderer::layOut() {
  const double width = kSlide.width() - 2 * kSide, room = kSlide.height() - kTop - kFoot - kBelow;
  for (const double size : {24.0, 21.0, 18.0, 16.0, 14.0, 12.0}) {
    m_captionSize = size;
    if (heightOf({m_caption}, width, size, true) <= 66) break;
  }
  const double caption = heightOf({m_caption}, width, m_captionSize, true);
  for (const double size : {14.0, 13.0, 12.0, 11.0, 10.0, 9.0, 8.0}) {
    m_textSize = size;
    if (caption + heightOf(m_text, width, size, false) <= room - kLeastFigure) break;
  }
  m_captionBox = QRectF(kSide, kTop, width, caption);
  m_textBox = QRectF(kSide, m_captionBox.bottom() + 4, width, heightOf(m_text, width, m_textSize, false));
  const double top = m_textBox.bottom() + 6;
  m_body = QRectF(kFigureSide, top, kSlide.width() - 2 * kFigureSide,
                  std::max(kLeastFigure, kSlide.height() - kFoot - kBelow - top));
  if (!m_view || !m_view->figure()) return;
  for (const double scale : {1.0, 0.85, 0.7})
    if (!leavesOut(figureArea(scale), scale)) {
      m_scale = scale;
      return;
    }
}

bool SlideRenderer::leavesOut(const QRectF& area, double scale) const {
  return reportOf(*m_view->figure(), area.size() / scale, *m_view->drawnContext(), style()).leftOut;
}

/// The empty row of its sentence lies behind the text.
QRectF SlideRenderer::figureArea(double scale) const {
  const bool has = m_view->figure()->hasContent(*m_view->drawnContext());
  return m_body.adjusted(0, has ? -kSentenceBand * scale : 0, 0, 0);
}

void SlideRenderer::paint(QPainter& painter, const Foot& foot) const {
  using enum Theme::Role;
  FigureReport unused;
  FigureStyle look = style();
  look.report = &unused;
  painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing |
                         QPainter::SmoothPixmapTransform);
  FigurePainter ink(painter, look);
  ink.fill(QRectF(QPointF(), kSlide), ink.color(Canvas));
  if (const Figure* figure = m_view ? m_view->figure() : nullptr) {
    const QRectF area = figureArea(m_scale);
    painter.save();
    painter.translate(area.topLeft());
    painter.scale(m_scale, m_scale);
    figure->paint(painter, QRectF(QPointF(), area.size() / m_scale), *m_view->drawnContext(), look);
    painter.restore();
  }
  paintParagraphs(ink, m_captionBox, {m_caption}, m_captionSize, ink.color(Text), true);
  paintParagraphs(ink, m_textBox, m_text, m_textSize, ink.color(MutedText), false);
  const QRectF row(kSide, kSlide.height() - kFoot - 4, kSlide.width() - 2 * kSide, kFoot);
  const double place = FigurePainter::width(foot.place, 12) + 20;
  ink.label(row, foot.place, Qt::AlignRight | Qt::AlignVCenter, 12, ink.color(MutedText));
  ink.label(row.adjusted(0, 0, -place, 0), foot.name, Qt::AlignLeft | Qt::AlignVCenter, 12,
            ink.color(MutedText));
}

std::optional<Figure::Hit> SlideRenderer::hit(const QPointF& at) const {
  const Figure* figure = m_view ? m_view->figure() : nullptr;
  if (!figure || !m_body.contains(at)) return std::nullopt;
  const QRectF area = figureArea(m_scale);
  auto hit = figure->hit((at - area.topLeft()) / m_scale, QRectF(QPointF(), area.size() / m_scale),
                         *m_view->drawnContext());
  if (hit) hit->area = QRectF(area.topLeft() + hit->area.topLeft() * m_scale, hit->area.size() * m_scale);
  return hit;
}

QString SlideRenderer::asText() const {
  QString out = m_caption + u'\n' + m_text.join(u'\n');
  if (const Figure* figure = m_view ? m_view->figure() : nullptr)
    out += u'\n' + figure->asText(*m_view->drawnContext());
  return out;
}

QImage thumbnailOf(const SavedSlide& slide, const PlanContextPtr& context, const Scenario& scenario,
                   const QSize& size, Theme::Kind theme) {
  QImage image(size, QImage::Format_RGB32);
  QPainter painter(&image);
  painter.scale(size.width() / kSlide.width(), size.height() / kSlide.height());
  SlideRenderer(slide, context, scenario, theme).paint(painter);
  return image;
}

}  // namespace nest
