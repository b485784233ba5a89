#include "slides/slide_renderer.h"

#include <QPaintEngine>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "catalogue/registry.h"
#include "document/playback.h"
#include "export/page_device.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/figure_report.h"
#include "figures/paint/frame.h"
#include "figures/paint/list_figure.h"
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
constexpr int kMostPlaces = 1024;     ///< more are too small to be followed

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

/// A page on which nothing is seen: it counts texts that had to be shortened.
class TextEnds : public PageDevice {
public:
  explicit TextEnds(const QSizeF& size) : PageDevice(size) {}
  QPaintEngine* paintEngine() const override { return &m_engine; }
  int shortened() const { return m_engine.shortened; }

private:
  class Engine : public QPaintEngine {
  public:
    Engine() : QPaintEngine(QPaintEngine::AllFeatures) {}
    bool begin(QPaintDevice*) override { return setActive(true), true; }
    bool end() override { return setActive(false), true; }
    Type type() const override { return User; }
    void updateState(const QPaintEngineState&) override {}
    void drawPath(const QPainterPath&) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    void drawRects(const QRectF*, int) override {}
    void drawLines(const QLineF*, int) override {}
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {}
    void drawTextItem(const QPointF&, const QTextItem& t) override { shortened += t.text().endsWith(u'…'); }
    int shortened = 0;
  };

  mutable Engine m_engine;
};

double heightOf(const QStringList& paragraphs, double width, double size, bool bold) {
  qsizetype lines = 0;
  for (const QString& p : paragraphs) lines += FigurePainter::lines(p, width, size, bold).size();
  return static_cast<double>(lines) * size * kLineHeight;
}

/// Lines below the box are left out.
void paintParagraphs(FigurePainter& ink, QRectF box, const QStringList& paragraphs, double size,
                     const QColor& colour, bool bold) {
  const double bottom = box.bottom() + 1;
  for (const QString& p : paragraphs)
    for (const QString& line : FigurePainter::lines(p, box.width(), size, bold)) {
      if (box.top() + size * kLineHeight > bottom) return;
      box.setHeight(size * kLineHeight);
      ink.label(box, line, Qt::AlignLeft | Qt::AlignVCenter, size, colour, bold);
      box.translate(0, size * kLineHeight);
    }
}

}  // namespace

SlideRenderer::SlideRenderer(const SavedSlide& slide, PlanContextPtr context, const Scenario& scenario,
                             Theme::Kind theme, const View* live, double type)
    : m_slide(slide), m_context(std::move(context)), m_theme(theme), m_type(type) {
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
  if (const auto& head = m_slide.playHead) setPlayhead(*head);
  readSentences(live);
  layOut();
}

SlideRenderer::~SlideRenderer() = default;

void SlideRenderer::setPlayhead(const SavedSlide::PlayHead& head) {
  Player* player = nullptr;
  if (head.exchange.empty()) {
    Playback& playback = m_selection.playback();
    playback.setPlan(*m_context);
    const PipelineSchedule* schedule = scheduleNamed(head.schedule);
    if (const Plan* plan = m_context->shownPlan())
      playback.playSchedule(schedule ? schedule->kind() : plan->schedule);
    player = &playback;
  } else {
    m_selection.exchangePlayer().setPlan(*m_context);
    m_selection.exchangePlayer().choose(head.exchange);
    player = &m_selection.exchangePlayer();
  }
  player->setSpeed(head.speed);
  player->moveTo(Seconds(head.seconds));
  if (player->position()) m_player = player;
}

bool SlideRenderer::isAtItsTime() const {
  return !m_player || !m_slide.playHead ||
         m_player->position() == std::min(Seconds(m_slide.playHead->seconds), m_player->end());
}

FigureStyle SlideRenderer::style() const {
  FigureStyle style;
  style.theme = &Theme::of(m_theme);
  style.selected = m_selected;
  style.hovered = m_hovered;
  style.playhead = m_selection.playhead();
  style.exchange = m_selection.exchange();
  return style;
}

void SlideRenderer::readSentences(const View* live) {
  if (!m_slide.sentence.empty()) {
    m_sentences = QString::fromStdString(m_slide.sentence).split(u'\n');
  } else if (const Figure* figure = m_view ? m_view->figure() : nullptr) {
    const PlanContext& c = *m_view->drawnContext();
    QString sentence = figureReport(*figure, kWideFigure, c, style()).sentence;
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
    m_captionSize = size * m_type;
    if (heightOf({m_caption}, width, m_captionSize, true) <= 66 * m_type) break;
  }
  const double caption = heightOf({m_caption}, width, m_captionSize, true);
  for (const double size : {14.0, 13.0, 12.0, 11.0, 10.0, 9.0, 8.0}) {
    m_textSize = size * m_type;
    if (caption + heightOf(m_text, width, m_textSize, false) <= room - kLeastFigure) break;
  }
  m_captionBox = QRectF(kSide, kTop, width, caption);
  m_textBox = QRectF(kSide, m_captionBox.bottom() + 4, width, heightOf(m_text, width, m_textSize, false));
  const double top = m_textBox.bottom() + 6;
  m_body = QRectF(kFigureSide, top, kSlide.width() - 2 * kFigureSide,
                  std::max(kLeastFigure, kSlide.height() - kFoot - kBelow - top));
  if (!m_view || !m_view->figure()) return;
  if (m_type > 1) {
    const Shortage usual = shortageAt(1);
    for (double scale = m_type; scale > 1.01; scale -= 0.1)
      if (const Shortage s = shortageAt(scale); !s.leavesOut && s.shortened <= usual.shortened) {
        m_scale = scale;
        return;
      }
  }
  for (const double scale : {1.0, 0.85, 0.7})
    if (!shortageAt(scale).leavesOut) {
      m_scale = scale;
      return;
    }
}

SlideRenderer::Shortage SlideRenderer::shortageAt(double scale) const {
  const QSizeF size = figureArea(scale).size() / scale;
  FigureReport report;
  FigureStyle look = style();
  look.report = &report;
  TextEnds page(size);
  QPainter painter(&page);
  m_view->figure()->paint(painter, QRectF(QPointF(), size), *m_view->drawnContext(), look);
  painter.end();
  return {report.leftOut, page.shortened()};
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
  // What was said of the time that the slide keeps is not true of the others.
  const auto ofNow = [&](const QString& text) {
    return isAtItsTime() || unused.sentence.isEmpty() || text != m_sentences.value(0) ? text
                                                                                      : unused.sentence;
  };
  QStringList texts;
  for (const QString& text : m_text) texts << ofNow(text);
  paintParagraphs(ink, m_captionBox, {ofNow(m_caption)}, m_captionSize, ink.color(Text), true);
  paintParagraphs(ink, m_textBox, texts, m_textSize, ink.color(MutedText), false);
  const QRectF row(kSide, kSlide.height() - kFoot - 4, kSlide.width() - 2 * kSide, kFoot);
  const double size = 12 * m_type, place = FigurePainter::width(foot.place, size) + 20;
  ink.label(row, foot.place, Qt::AlignRight | Qt::AlignVCenter, size, ink.color(MutedText));
  ink.label(row.adjusted(0, 0, -place, 0), foot.name, Qt::AlignLeft | Qt::AlignVCenter, size,
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

std::vector<SlideRenderer::Place> SlideRenderer::places() const {
  std::vector<Place> out;
  const auto* figure = m_view ? dynamic_cast<const InteractiveFigure*>(m_view->figure()) : nullptr;
  if (!figure) return out;
  const PlanContext& c = *m_view->drawnContext();
  const QRectF area = figureArea(m_scale);
  const auto add = [&](const QString& key, const SelectionItem& item) {
    const auto at = figure->locate(item, QRectF(QPointF(), area.size() / m_scale), c);
    if (!at || at->area.isEmpty()) return;
    const QRectF there(area.topLeft() + at->area.topLeft() * m_scale, at->area.size() * m_scale);
    if (m_body.adjusted(-2, -kSentenceBand, 2, 2).contains(there)) out.push_back({key, there});
  };
  if (const auto* list = dynamic_cast<const ListFigure*>(figure)) {
    for (int i = 0; i < std::min(list->count(c), kMostPlaces); ++i)
      add(list->describe(ListFigure::itemOf(i), c).section(u':', 0, 0), ListFigure::itemOf(i));
    return out;
  }
  const Plan* plan = c.shownPlan();
  if (!plan || !c.problem) return out;
  for (int s = 0; s < std::min(plan->stageCount(), kMostPlaces); ++s)
    add(QStringLiteral("stage %1").arg(s), {ItemKind::Stage, s});
  const int devices = c.problem->cluster->deviceCount();
  for (int d = 0; d < devices && devices <= kMostPlaces; ++d)
    add(QStringLiteral("device %1").arg(d), {ItemKind::Device, d});
  return out;
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
