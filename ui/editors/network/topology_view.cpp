#include "editors/network/topology_view.h"

#include <QComboBox>
#include <QMenu>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <utility>

#include "document/playback.h"
#include "document/scenario_document.h"
#include "editors/network/network_editor.h"
#include "figures/paint/phrases.h"
#include "figures/topology/topology_figure.h"
#include "views/failure_strip.h"
#include "views/figure_canvas.h"
#include "views/figure_pane.h"
#include "views/play_bar.h"

namespace nest {

TopologyView::TopologyView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<TopologyFigure>(), services, parent),
      m_loss(new FailureStrip(services.document)) {
  connect(m_loss, &FailureStrip::differenceRequested, this, [this](const PlanContextPtr& whole) {
    Q_EMIT planRequested(PlanUse::Compare, {tr("Without failures"), whole, {}, true});
  });
  if (services.document) addEditor();
  addBelow(m_loss);
  auto* bar = new PlayBar(selection().playback(), PlayBar::ofSchedule(), *canvas(), this);
  addBelow(bar);
  connect(pane(), &FigurePane::menuMade, bar, [bar](QMenu* menu) { bar->addToMenu(*menu); });
  auto* exchange = new PlayBar(selection().exchangePlayer(), PlayBar::ofExchange(), *canvas(), this);
  exchange->yieldKeys();
  addBelow(exchange);
  for (const char* rare : {"folding", "level"}) keepInMenu(rare);
  connect(pane(), &FigurePane::menuMade, this, &TopologyView::addToMenu);
}

void TopologyView::addEditor() {
  m_editor = new NetworkEditor(services());
  addBeside(m_editor, m_editor->tools());
  m_edit = addFirstButton(tr("Edit"), tr("Draw the network and change it: add, connect, move, fail"));
  m_edit->setObjectName(QStringLiteral("edit"));
  m_edit->setCheckable(true);
  remember("edit", m_edit);
  connect(m_edit, &QToolButton::toggled, this, &TopologyView::showMode);
  connect(m_edit, &QToolButton::clicked, this, &TopologyView::takeFocus);
  for (const char* shared : {"colour", "folding"})
    connect(choice(shared), &QComboBox::currentIndexChanged, this, &TopologyView::shareOptions);
  connect(m_editor, &NetworkEditor::optionChosen, this,
          [this](const std::string& key, const std::string& name) { select(*choice(key), name); });
  shareOptions();
  ScenarioDocument* document = services().document;
  connect(document, &ScenarioDocument::opened, this, [this, document, open = !document->isEmpty()]() mutable {
    if (std::exchange(open, !document->isEmpty()))
      m_edit->setChecked(false);  // the mode was for the one before
    // So was what is collapsed and which level is drawn; a session brings its own.
    const State usual = defaults();
    for (const char* ofNetwork : {"folding", "level"})
      if (const auto it = usual.find(ofNetwork); it != usual.end()) select(*choice(ofNetwork), it->second);
  });
  showMode();
}

bool TopologyView::isEditing() const {
  return m_edit && m_edit->isChecked();
}

void TopologyView::setEditing(bool on) {
  if (!m_edit) return;
  m_edit->setChecked(on);
  takeFocus();
}

void TopologyView::showMode() {
  showBeside(isEditing());
  Q_EMIT drawnOn(isDrawnOn());
  setFocusProxy(isEditing() ? static_cast<QWidget*>(m_editor) : pane());
}

void TopologyView::takeFocus() {
  if (isEditing())
    m_editor->showSelected();
  else
    pane()->setFocus(Qt::OtherFocusReason);
}

void TopologyView::shareOptions() {
  const auto& figure = figureAs<TopologyFigure>();
  m_editor->setOption("colour", nameOf(figure.colouredBy()));
  m_editor->setOption("folding", nameOf(figure.folding()));
}

const Figure* TopologyView::figure() const {
  return isEditing() ? m_editor->figure() : FigureView::figure();
}

std::vector<const Figure*> TopologyView::figures() const {
  if (!m_editor) return {FigureView::figure()};
  m_editor->bringUpToDate();
  const std::vector both{FigureView::figure(), m_editor->figure()};
  return isEditing() ? std::vector(both.rbegin(), both.rend()) : both;
}

View::State TopologyView::state() const {
  State state = FigureView::state();
  if (m_editor) state.merge(m_editor->state());
  return state;
}

void TopologyView::applyState(const State& state) {
  FigureView::applyState(state);
  if (!m_editor) return;
  m_editor->setState(state);
  // Earlier versions keep a choice of the drawn network's own, by number.
  if (const double old = numberIn(state, "fold", -1); old >= 0 && !state.contains("folding"))
    choice("folding")->setCurrentIndex(static_cast<int>(old));
}

QStringList TopologyView::slideText(const QString& sentence) const {
  return {sentence, QTextDocumentFragment::fromHtml(m_loss->text()).toPlainText()};
}

void TopologyView::refresh() {
  selection().playback().setPlan(context());
  selection().exchangePlayer().setPlan(context());
  FigureView::refresh();
  m_loss->setContext(contextPtr());
  if (!m_editor) return;
  shareOptions();
  if (&m_editor->theme() != &theme()) m_editor->setTheme(theme().kind());
  if (m_editor->contextPtr() != contextPtr()) m_editor->setContext(contextPtr());
}

void TopologyView::sightChanged() {
  if (m_editor) m_editor->setInSight(isInSight());
  Q_EMIT drawnOn(isDrawnOn());
}

/// "Edit", and "Fail" for the selected device and everything around it.
void TopologyView::addToMenu(QMenu* menu) {
  const auto item = selection().selected();
  ScenarioDocument* document = services().document;
  if (!document || document->isEmpty()) return;
  addUnplannedHosts(*menu, *document);
  if (!item || !context().problem || !context().current) return;
  const Hierarchy& h = *context().problem->cluster;
  const bool device = item->kind == ItemKind::Device && item->index >= 0 && item->index < h.deviceCount();
  const bool group = item->kind == ItemKind::Group && item->level >= 0 && item->level < h.levelCount() &&
                     item->index >= 0 && item->index < h.groupCount(item->level);
  if (!device && !group) return;
  menu->addSeparator();
  menu->addAction(tr("Edit the network"), this, [this] { setEditing(true); });
  std::vector<std::string> hosts;
  const auto [from, to] =
      device ? std::pair(item->index, item->index + 1) : h.groupSpan(item->level, item->index);
  for (int p = from; p < to; ++p)
    if (const std::string host = h.identity(DeviceIndex(p)).host; hosts.empty() || hosts.back() != host)
      hosts.push_back(host);
  addHostStates(*menu, *document, hosts);
  const auto offer = [&](const QString& what, int begin, int end) {
    if (end - begin >= h.deviceCount()) return;
    std::vector<int> inputs;
    for (int p = begin; p < end; ++p) inputs.push_back(h.identity(DeviceIndex(p)).source);
    menu->addAction(tr("Fail %1").arg(what), this,
                    [document, inputs, what] { failDevices(*document, inputs, what); });
  };
  const int first = device ? item->index : h.groupSpan(item->level, item->index).first;
  if (device) offer(deviceName(h, item->index), item->index, item->index + 1);
  for (int l = device ? 0 : item->level; l + 1 < h.levelCount(); ++l) {
    const int g = h.groupOf(l, first);
    const auto [begin, end] = h.groupSpan(l, g);
    offer(phrase(h.groupName(l, g)), begin, end);
  }
}

}  // namespace nest
