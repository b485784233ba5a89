#include "editors/cuts/cut_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QUndoCommand>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "accessible/screen_reader.h"
#include "document/kept_plans.h"
#include "document/scenario_document.h"
#include "editors/cuts/cut_canvas.h"
#include "figures/paint/phrases.h"
#include "measures/score.h"
#include "plan/plan_edit.h"
#include "theme/plain_text.h"
#include "theme/qt_text.h"
#include "units/text.h"
#include "views/figure_pane.h"
#include "views/flow_layout.h"

namespace nest {
namespace {}  // namespace

/// A draft before and after it was changed by hand.
class CutView::DraftStep : public QUndoCommand {
public:
  DraftStep(CutView& view, Plan before, Plan after, const QString& verb, int key)
      : QUndoCommand(verb),
        m_view(&view),
        m_before(std::move(before)),
        m_after(std::move(after)),
        m_key(key) {}

  int id() const override { return m_key > 0 ? 2 : -1; }
  void undo() override { take(m_before); }
  void redo() override { take(m_after); }
  bool mergeWith(const QUndoCommand* other) override {
    const auto* next = static_cast<const DraftStep*>(other);
    if (next->m_key != m_key) return false;
    m_after = next->m_after;
    setObsolete(m_after == m_before);
    return true;
  }

private:
  void take(const Plan& plan) {
    if (m_view) m_view->canvas().takeDraft(plan);
  }

  QPointer<CutView> m_view;
  Plan m_before, m_after;
  int m_key;
};

CutView::CutView(ViewServices services, QWidget* parent) : View(services, parent) {
  m_tellSoon.setSingleShot(true);
  connect(&m_tellSoon, &QTimer::timeout, this, &CutView::tellHandPlan);
  m_figure = std::make_unique<CutFigure>();
  m_canvas = new CutCanvas(*m_figure, selection());
  m_pane = new FigurePane(m_canvas);
  setFocusProxy(m_pane);
  setAccessibleName(title());
  m_verdict = new QLabel;
  m_verdict->setTextFormat(Qt::RichText);
  m_verdict->setWordWrap(true);
  m_verdict->setMargin(8);
  m_verdict->setMinimumHeight(m_verdict->fontMetrics().lineSpacing() * 3 + 2 * m_verdict->margin() + 2);
  m_verdict->setAccessibleName(tr("Score"));
  const auto button = [this](const QString& name, const QString& tip, void (CutView::*f)()) {
    auto* b = new QPushButton(name);
    b->setToolTip(tip);
    connect(b, &QPushButton::clicked, this, f);
    return b;
  };
  m_even = button(tr("Cut evenly"), tr("The same number of layers in each stage"), &CutView::cutEvenly);
  m_optimum = button(tr("Optimum"), tr("Restore the cuts of the best plan"), &CutView::showOptimum);
  m_keep = button(tr("Keep"), tr("Keep this plan to compare or present it"), &CutView::keepPlan);
  m_use = button(tr("Use cuts"), tr("Pin every cut as drawn and re-solve the rest"), &CutView::useCuts);
  m_pin = button(tr("Pin this cut"), tr("Require a cut here and re-solve the rest"), &CutView::pinCut);
  m_clear =
      button(tr("Clear pins"), tr("Remove all pins; the search chooses every cut"), &CutView::clearPins);
  auto* bar = new QWidget;
  auto* flow = new FlowLayout(6, bar);
  flow->setContentsMargins(5, 6, 5, 0);
  for (QPushButton* b : {m_even, m_optimum, m_keep, m_use, m_pin, m_clear}) flow->addWidget(b);
  auto* right = new QWidget;
  auto* buttons = new QHBoxLayout(right);
  buttons->setContentsMargins(0, 0, 0, 0);
  m_pane->addButtons(buttons);
  flow->setTrailing(right);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar);
  column->addWidget(m_verdict);
  column->addWidget(m_pane, 1);
  QWidget* before = m_canvas;  // said outright: Tab would pass the buttons by
  for (QPushButton* b : {m_even, m_optimum, m_keep, m_use, m_pin, m_clear})
    setTabOrder(std::exchange(before, b), b);
  for (QToolButton* b : findChildren<QToolButton*>()) setTabOrder(std::exchange(before, b), b);
  connect(m_canvas, &CutCanvas::planChanged, this, &CutView::showVerdict);
  connect(m_canvas, &CutCanvas::planChanged, &m_tellSoon, qOverload<>(&QTimer::start));
  connect(m_canvas, &CutCanvas::edited, this, &CutView::addStep);
  connect(m_pane, &FigurePane::menuMade, this, &CutView::addToMenu);
}

void CutView::addToMenu(QMenu* menu) {
  menu->addSeparator();
  const auto& item = selection().selected();
  if (item && item->kind == ItemKind::Stage && m_canvas->plan() &&
      item->index < m_canvas->plan()->stageCount()) {
    const int stage = item->index;
    menu->addAction(tr("Next recompute policy of stage %1").arg(stageNumber(stage)), this,
                    [this, stage] { m_canvas->cycleRecompute(stage); });
    m_canvas->addStrategies(*menu->addMenu(tr("Strategy of stage %1").arg(stageNumber(stage))), stage);
    menu->addAction(tr("Pin recompute and strategy of stage %1").arg(stageNumber(stage)), this,
                    [this, stage] { pinStage(stage); });
  }
  for (QPushButton* b : {m_even, m_optimum, m_keep, m_use, m_pin, m_clear}) {
    QAction* a = menu->addAction(b->text(), b, &QPushButton::click);
    a->setEnabled(b->isEnabled());
  }
}

CutView::~CutView() = default;

const Figure* CutView::figure() const {
  return m_figure.get();
}

QString CutView::whyNotKept() const {
  return context().plan && !m_figure->hasContent(context())
             ? tr("These cuts cannot be dragged, so there is nothing to show. Add a slide of Stages instead.")
             : QString();
}

QString CutView::verdict() const {
  return m_verdict->text();
}

namespace {

/// Only names, or what was kept, may differ: what is drawn by hand stays.
bool isOfOneSearch(const PlanContext& a, const PlanContext& b) {
  return a.problem == b.problem && a.outcome == b.outcome && a.plan == b.plan && a.current == b.current &&
         a.byHand == b.byHand;
}

}  // namespace

void CutView::refresh() {
  if (m_shownFor && isOfOneSearch(*m_shownFor, context())) {
    const bool best = m_shownFor == m_drawnFor;
    m_shownFor = contextPtr();
    if (best) m_drawnFor = contextPtr();
    m_canvas->setPlan(m_drawnFor, m_canvas->plan(), theme());
    return;
  }
  m_shownFor = m_drawnFor = contextPtr();
  if (context().byHand) {  // on a slide: what was cut by hand is the draft
    auto best = std::make_shared<PlanContext>(context());
    best->byHand = false;
    const RankedPlan* plan = best->outcome ? best->outcome->best() : nullptr;
    best->plan = plan ? std::shared_ptr<const RankedPlan>(best->outcome, plan) : nullptr;
    m_drawnFor = std::move(best);
  }
  m_from = m_drawnFor->plan;
  const bool pinned = context().problem && (!context().problem->constraints.layerPins.empty() ||
                                            !context().problem->constraints.stagePins.empty());
  if (context().plan && context().current && !pinned) m_free = contextPtr();
  const Plan* shown = context().shownPlan();
  m_canvas->setPlan(m_drawnFor, shown ? std::optional(*shown) : std::nullopt, theme());
}

void CutView::showBare() {
  m_figure->showBare();
}

QStringList CutView::slideText(const QString& sentence) const {
  if (!m_canvas->plan()) return {sentence};
  QStringList out;
  for (const QString& line : verdictLines(tr("This plan: %1"), tr("This plan does not run")))
    out << QTextDocumentFragment::fromHtml(line).toPlainText();
  return out << sentence;
}

void CutView::cutEvenly() {
  if (!m_canvas->plan()) return;
  Plan even = *m_canvas->plan();
  const int layers = context().problem->graph->layerCount(), stages = even.stageCount();
  for (int i = 0; i < stages; ++i) {
    auto& chunk = even.stages[i].chunks.front();
    chunk.clear();
    for (int x = layers * i / stages; x < layers * (i + 1) / stages; ++x) chunk.push_back(LayerIndex(x));
  }
  change(even, tr("Cut evenly"));
}

void CutView::showOptimum() {
  if (const Plan* best = drawnContext()->shownPlan(); best && m_canvas->plan())
    change(*best, tr("Show the optimum"));
}

void CutView::change(const Plan& to, const QString& verb) {
  const Plan before = *m_canvas->plan();
  if (before == to) return;
  m_canvas->takeDraft(to);
  addStep(before, verb, 0);
}

void CutView::addStep(const Plan& before, const QString& verb, int key) {
  if (services().document && !services().document->isEmpty())
    services().document->history().push(new DraftStep(*this, before, *m_canvas->plan(), verb, key));
}

void CutView::sightChanged() {
  m_tellSoon.start();
}

PlanContextPtr CutView::shownContext() const {
  const Plan* from = drawnContext()->shownPlan();
  const bool differs = m_canvas->plan() && from && !(*m_canvas->plan() == *from);
  if (!differs || m_shownFor != contextPtr() || m_canvas->evaluation().stages.empty()) return contextPtr();
  auto ranked = std::make_shared<RankedPlan>();
  ranked->plan = *m_canvas->plan();
  ranked->evaluation = m_canvas->evaluation();
  auto drawn = std::make_shared<PlanContext>(context());
  drawn->plan = std::move(ranked);
  drawn->byHand = true;
  return drawn;
}

/// While it is looked at, what is drawn is the plan that everything shows.
void CutView::tellHandPlan() {
  PlanContextPtr hand = isInSight() ? shownContext() : contextPtr();
  if (hand == contextPtr()) hand.reset();
  if (!hand && !m_told) return;
  m_told = hand;
  Q_EMIT handPlanChanged(hand);
}

void CutView::keepPlan() {
  if (services().document) nest::keepPlan(*services().document, *shownContext(), tr("Cut by hand"));
}

void CutView::useCuts() {
  if (!services().document || !m_canvas->plan()) return;
  services().document->edit({}, tr("Pin every cut"), [plan = *m_canvas->plan()](Scenario& s) {
    auto& pins = s.constraints.layerPins;
    pins.clear();
    for (int i = 1; i < plan.stageCount(); ++i) {
      const int layer = firstLayerOf(plan, i);
      for (const Constraints::LayerPin& pin :
           {Constraints::LayerPin{LayerIndex(layer - 1), StageIndex(i - 1)},
            Constraints::LayerPin{LayerIndex(layer), StageIndex(i)}})
        if (std::find(pins.begin(), pins.end(), pin) == pins.end()) pins.push_back(pin);
    }
  });
}

void CutView::pinCut() {
  const int stage = m_canvas->focusedCut();
  if (!services().document || !m_canvas->plan() || stage < 1) return;
  const LayerIndex layer(firstLayerOf(*m_canvas->plan(), stage));
  const bool pinned = m_figure->isPinned(stage, context());
  const QString name = toQt(context().problem->graph->layers[layer.at()].name);
  services().document->edit(
      {}, pinned ? tr("Unpin the cut before %1").arg(name) : tr("Pin the cut before %1").arg(name),
      [layer, stage, pinned](Scenario& s) {
        auto& pins = s.constraints.layerPins;
        const auto has = [&](int x, int i) {
          return std::find(pins.begin(), pins.end(), Constraints::LayerPin{LayerIndex(x), StageIndex(i)}) !=
                 pins.end();
        };
        // A layer that is both the first and the last of a stage may belong to another pinned cut, too.
        const bool firstOfNext = pinned && has(layer.value + 1, stage + 1);
        const bool lastOfPrevious = pinned && has(layer.value - 2, stage - 2);
        std::erase_if(pins, [&](const auto& p) {
          return (p.layer == layer && !firstOfNext) || (p.layer.value == layer.value - 1 && !lastOfPrevious);
        });
        if (pinned) return;
        pins.push_back({LayerIndex(layer.value - 1), StageIndex(stage - 1)});
        pins.push_back({layer, StageIndex(stage)});
      });
}

void CutView::pinStage(int stage) {
  if (!services().document || !m_canvas->plan() || stage >= m_canvas->plan()->stageCount()) return;
  const StagePlan& now = m_canvas->plan()->stages[stage];
  services().document->edit({}, tr("Pin recompute and strategy of stage %1").arg(stageNumber(stage)),
                            [stage, recompute = now.recompute, strategy = now.strategy](Scenario& s) {
                              auto& pins = s.constraints.stagePins;
                              std::erase_if(pins, [&](const auto& p) { return p.stage.value == stage; });
                              pins.push_back({StageIndex(stage), recompute, strategy});
                            });
}

void CutView::clearPins() {
  if (services().document)
    services().document->edit({}, tr("Clear all pins"), [](Scenario& s) {
      s.constraints.layerPins.clear();
      s.constraints.stagePins.clear();
    });
}

QString CutView::regretText() const {
  const Evaluation& mine = m_canvas->evaluation();
  if (!m_from || !mine.feasible()) return {};
  const double best = m_from->evaluation.batchTime.value();
  const double regret = best > 0 ? mine.batchTime.value() / best - 1 : 0;
  if (*m_canvas->plan() == m_from->plan) return tr(" · the best plan");
  if (regret == 0) return tr(" · as fast as the best plan");
  return (regret < 0 ? tr(" · best %1 · %2 faster than the best plan found · score %3 of 100")
                     : tr(" · best %1 · %2 slower than the best plan · score %3 of 100"))
      .arg(toQt(text::time(Seconds(best))), toQt(text::percent(std::abs(regret))))
      .arg(scoreOf(mine, m_from->evaluation.batchTime));
}

QString CutView::pinsText() const {
  const Constraints& k = context().problem->constraints;
  if (k.layerPins.empty() && k.stagePins.empty()) return {};
  QString out = tr(" with what is pinned");
  if (!m_from || !m_free || !context().current) return out;
  Setting asked = m_free->scenario->setting();
  asked.constraints.layerPins = k.layerPins, asked.constraints.stagePins = k.stagePins;
  if (!(asked == context().scenario->setting())) return out;
  const Seconds without = m_free->plan->evaluation.batchTime;
  return out + tr(" (without: %1, the pins cost %2)")
                   .arg(toQt(text::time(without)),
                        toQt(text::signedPercent(m_from->evaluation.batchTime / without - 1)));
}

void CutView::showVerdict() {
  const bool drawn = m_canvas->plan().has_value();
  const bool editable = services().document && !services().document->isEmpty();
  m_even->setEnabled(drawn);
  m_optimum->setEnabled(drawn);
  m_keep->setEnabled(drawn && editable);
  m_use->setEnabled(drawn && editable && m_canvas->plan()->stageCount() > 1);
  m_pin->setEnabled(drawn && editable && m_canvas->focusedCut() > 0);
  const bool pins = editable && !(services().document->scenario().constraints.layerPins.empty() &&
                                  services().document->scenario().constraints.stagePins.empty());
  m_clear->setEnabled(pins);
  if (!drawn) return setNamedText(*m_verdict, {});
  QStringList words = verdictLines(tr("Yours: %1"), tr("Yours does not run"));
  const int cut = m_canvas->focusedCut();
  const bool held = cut > 0 && m_figure->isPinned(cut, context());
  m_pin->setText(held ? tr("Unpin this cut") : tr("Pin this cut"));
  if (cut > 0) {
    const int layer = firstLayerOf(*m_canvas->plan(), cut);
    const QString name = toQt(context().problem->graph->layers[layer].name);
    words << (held ? tr("Selected cut: stage %1 starts at %2 (pinned).")
                   : tr("Selected cut: stage %1 starts at %2."))
                 .arg(stageNumber(cut), visibleText(name).toHtmlEscaped());
  }
  setNamedText(*m_verdict, words.join(QStringLiteral("<br>")));
}

QStringList CutView::verdictLines(const QString& who, const QString& whoNot) const {
  const Evaluation& mine = m_canvas->evaluation();
  QString words =
      QStringLiteral("<b>%1</b>").arg(who.arg(toQt(text::time(mine.batchTime)))) + regretText() + pinsText();
  const auto homeless = std::find_if(mine.violations.begin(), mine.violations.end(),
                                     [](const Violation& v) { return v.kind == Violation::Kind::Devices; });
  if (homeless != mine.violations.end()) {
    // Without devices nothing is exchanged: a time would look faster than it could ever be.
    words = QStringLiteral("<b>%1</b>: %2").arg(whoNot, toQt(homeless->message).toHtmlEscaped());
  } else if (!mine.feasible()) {
    words += tr(" · <b>does not run</b>: %1").arg(toQt(mine.violations.front().message).toHtmlEscaped());
  } else if (const int slow = mine.slowestStage(); slow >= 0 && mine.stages.size() > 1) {
    const double average = mine.sumLoad.value() / static_cast<double>(mine.stages.size());
    return {words,
            tr("Stage %1 is slowest: %2 per microbatch, %3 above the mean, for %4.")
                .arg(stageNumber(slow))
                .arg(toQt(text::time(mine.maxLoad)), toQt(text::percent(mine.maxLoad.value() / average - 1)),
                     plural(mine.microbatchCount, tr("microbatch")))};
  }
  return {words};
}

}  // namespace nest
