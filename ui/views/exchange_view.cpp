#include "views/exchange_view.h"

#include <QComboBox>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "figures/plan/exchange_figure.h"
#include "figures/plan/focus.h"
#include "views/figure_canvas.h"
#include "views/figure_pane.h"
#include "views/play_bar.h"

namespace nest {
namespace {

/// Whether ranks of an exchange stand at both ends of a pair, or in one of its groups.
bool joins(const std::vector<int>& ranks, const std::pair<SelectionItem, SelectionItem>& ends,
           const Hierarchy& h) {
  const auto standsIn = [&](const SelectionItem& end) {
    return std::any_of(ranks.begin(), ranks.end(), [&](int rank) {
      return end.kind == ItemKind::Device ? rank == end.index : h.groupOf(end.level, rank) == end.index;
    });
  };
  return standsIn(ends.first) && standsIn(ends.second);
}

/// Of what is selected, the longest exchange: of a stage, or between both ends of a pair. Empty: there is
/// none.
std::string exchangeOfItem(const SelectionItem& item, const PlanContext& c) {
  if (!c.problem || !c.shownPlan()) return {};
  const auto ends = endsOf(item, *c.problem->cluster);
  const auto stage = stageOf(item, c);
  const PlanExchange* longest = nullptr;
  const auto all = exchangesOf(*c.problem, *c.shownPlan(), *c.shownEvaluation());
  for (const PlanExchange& x : all) {
    if (longest && x.timeInAll() <= longest->timeInAll()) continue;
    const bool isOf = stage
                          ? x.stage == *stage
                          : ends && joins(ranksOf(*c.problem, *c.shownPlan(), x), *ends, *c.problem->cluster);
    if (isOf) longest = &x;
  }
  return longest ? longest->id : std::string();
}

}  // namespace

void addExchangeTo(QMenu& menu, Selection& selection, const PlanContext& c) {
  const auto& item = selection.selected();
  if (!item) return;
  const std::string id = exchangeOfItem(*item, c);
  if (id.empty()) return;
  menu.addSeparator();
  menu.addAction(ExchangeView::tr("Play its longest exchange"), &selection, [&selection, c, id] {
    selection.exchangePlayer().setPlan(c);
    selection.exchangePlayer().show(id);
  });
}

ExchangeView::ExchangeView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<ExchangeFigure>(), services, parent) {
  ExchangePlayer& player = selection().exchangePlayer();
  auto* bar = new PlayBar(player, PlayBar::ofExchange(), *canvas(), this);
  addBelow(bar);
  bar->drive(*addFirstButton(tr("Play"), tr("Play the steps (Space)")));
  connect(pane(), &FigurePane::menuMade, bar, [bar](QMenu* menu) { bar->addToMenu(*menu); });
  connect(choice("exchange"), &QComboBox::currentIndexChanged, this, &ExchangeView::follow);
  // One that was chosen elsewhere, as in the inspector.
  connect(&player, &Player::changed, this, [this, &player] {
    auto& f = figureAs<ExchangeFigure>();
    if (!player.replay() || !isInSight() || player.replay()->exchange().id == f.shownId(context())) return;
    f.setOption("exchange", player.replay()->exchange().id);
    FigureView::refresh();
  });
  connect(&selection(), &Selection::selectedChanged, this, [this] {
    const auto& item = selection().selected();
    const auto stage = item ? stageOf(*item, context()) : std::nullopt;
    if (!stage || !isInSight() || selection().exchange()) return;
    figureAs<ExchangeFigure>().showStage(*stage, context());
    refresh();
  });
}

void ExchangeView::follow() {
  selection().exchangePlayer().setPlan(context());
  if (const auto shown = figureAs<ExchangeFigure>().beginning(context()))
    selection().exchangePlayer().choose(*shown);
}

void ExchangeView::applyState(const State& state) {
  // The choice is offered only once the plan is there.
  if (const auto it = state.find("exchange"); it != state.end())
    if (const std::string* id = it->second.name()) figureAs<ExchangeFigure>().setOption("exchange", *id);
  FigureView::applyState(state);
}

void ExchangeView::refresh() {
  ExchangePlayer& player = selection().exchangePlayer();
  player.setPlan(context());
  // What plays stays; what was chosen here is played otherwise.
  if (selection().exchange())
    figureAs<ExchangeFigure>().setOption("exchange", selection().exchange()->replay->exchange().id);
  FigureView::refresh();
  follow();
}

}  // namespace nest
