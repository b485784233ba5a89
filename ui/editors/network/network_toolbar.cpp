#include "editors/network/network_toolbar.h"

#include <QActionGroup>
#include <QInputDialog>
#include <QMenu>
#include <QResizeEvent>
#include <QSettings>
#include <QToolButton>

#include "figures/plan/communication_figure.h"
#include "theme/icon.h"

namespace nest {
namespace {

constexpr int kAroundName = 26, kMenuMark = 16, kSeparator = 10;  ///< pixels of a bar's button and separator

QString withKey(const QString& tip, const QKeySequence& key) {
  return key.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, key.toString(QKeySequence::NativeText));
}

}  // namespace

NetworkToolbar::NetworkToolbar(NetworkCanvas* canvas, QWidget* parent)
    : QToolBar(parent), m_canvas(canvas), m_tools(new QActionGroup(this)) {
  setToolButtonStyle(Qt::ToolButtonIconOnly);
  setIconSize({18, 18});
  setAccessibleName(tr("Drawing tools"));
  addTools();
  addSeparator();
  addEdits();
  addSeparator();
  m_options["colour"] = giveMenu(
      button(QStringLiteral("colour"), tr("Colour by"), tr("What the ranks of one colour have in common")));
  addFolding();
  addTraffic();
  auto* fit = button(QStringLiteral("fit"), tr("Fit"), tr("Fit to view (0)"));
  connect(fit, &QAction::triggered, m_canvas, &NetworkCanvas::fit);
  m_text = button(QStringLiteral("text"), tr("Text"), tr("Show the same as text"));
  m_text->setCheckable(true);
  auto* save =
      button(QStringLiteral("export"), tr("Export…"), tr("Save the network as SVG, PDF or PNG, or copy it"));
  connect(save, &QAction::triggered, this, &NetworkToolbar::exportRequested);
  m_side = button(QStringLiteral("panel"), tr("Panel"),
                  tr("Show levels, kinds, table and problems next to the drawing"));
  m_side->setCheckable(true);
  if (auto* more = findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button"))) {
    more->setIcon(themedIcon(QStringLiteral("right")));
    more->setStyleSheet(QStringLiteral("padding: 0; border: 0"));  // Qt leaves it 12 pixels
    more->setToolTip(tr("More tools"));
    more->setAccessibleName(more->toolTip());
  }
  for (auto* b : findChildren<QToolButton*>()) b->setFocusPolicy(Qt::TabFocus);  // Qt's bars pass Tab by
}

QAction* NetworkToolbar::button(const QString& icon, const QString& name, const QString& tip) {
  auto* a = addAction(themedIcon(icon), name);
  a->setToolTip(tip);
  return a;
}

QAction* NetworkToolbar::edit(const QString& icon, const QString& name, const QString& tip,
                              void (NetworkCanvas::*f)()) {
  auto* a = button(icon, name, tip);
  m_edits.push_back(a);
  connect(a, &QAction::triggered, m_canvas, f);
  return a;
}

void NetworkToolbar::addTools() {
  using Tool = NetworkCanvas::Tool;
  const auto tool = [&](const QString& icon, const QString& name, const QString& tip, Qt::Key key, Tool t) {
    auto* a = button(icon, name, withKey(tip, QKeySequence(key)));
    a->setCheckable(true);
    a->setChecked(t == Tool::Select);
    a->setShortcut(QKeySequence(key));
    a->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    a->setData(static_cast<int>(t));
    m_tools->addAction(a);
    m_canvas->addAction(a);
    if (t != Tool::Select) m_edits.push_back(a);
    connect(a, &QAction::triggered, this, [this, t] { m_canvas->setTool(t); });
  };
  tool(QStringLiteral("select"), tr("Select"), tr("Select and move"), Qt::Key_V, Tool::Select);
  tool(QStringLiteral("host"), tr("Host"), tr("Click to place hosts with 8 devices, until Esc"), Qt::Key_H,
       Tool::AddHost);
  tool(QStringLiteral("switch"), tr("Switch"), tr("Click to place switches, until Esc"), Qt::Key_S,
       Tool::AddSwitch);
  tool(QStringLiteral("device"), tr("Device"),
       tr("Click to place devices, until Esc; on a host, one goes into the host"), Qt::Key_D,
       Tool::AddDevice);
  tool(QStringLiteral("connect"), tr("Connect"),
       tr("Drag from one node to another to connect them, until Esc"), Qt::Key_C, Tool::Connect);
  connect(m_canvas, &NetworkCanvas::toolChanged, this, [this] {
    for (QAction* a : m_tools->actions())
      a->setChecked(a->data().toInt() == static_cast<int>(m_canvas->tool()));
  });
}

void NetworkToolbar::addEdits() {
  auto* copies = button(QStringLiteral("copy"), tr("Duplicate…"),
                        tr("Duplicate the selection, connected to the same switches (Ctrl+D: one copy)"));
  m_selectionEdits.push_back(copies);
  connect(copies, &QAction::triggered, this, &NetworkToolbar::askForCopies);
  auto* align = button(QStringLiteral("align"), tr("Align"), tr("Align the selection"));
  m_selectionEdits.push_back(align);
  QMenu* menu = giveMenu(align);
  const std::pair<QString, graph::Alignment> ways[] = {
      {tr("Left"), graph::Alignment::Left},
      {tr("Centre horizontally"), graph::Alignment::CentreX},
      {tr("Right"), graph::Alignment::Right},
      {tr("Top"), graph::Alignment::Top},
      {tr("Centre vertically"), graph::Alignment::CentreY},
      {tr("Bottom"), graph::Alignment::Bottom},
      {tr("Distribute horizontally"), graph::Alignment::DistributeX},
      {tr("Distribute vertically"), graph::Alignment::DistributeY}};
  for (const auto& [name, way] : ways)
    connect(menu->addAction(name), &QAction::triggered, this,
            [this, way = way] { m_canvas->alignSelected(way); });
  for (QAction* a : {edit(QStringLiteral("group"), tr("Group"), tr("Group the selected devices into a host"),
                          &NetworkCanvas::groupSelected),
                     edit(QStringLiteral("break"), tr("Fail"),
                          tr("Mark the selection as failed or restore it, and see the cost"),
                          &NetworkCanvas::toggleFailed),
                     edit(QStringLiteral("delete"), tr("Delete"), tr("Delete the selection (Del)"),
                          &NetworkCanvas::removeSelected)})
    m_selectionEdits.push_back(a), std::erase(m_edits, a);
  connect(m_canvas, &NetworkCanvas::selectionChanged, this, &NetworkToolbar::refreshSelectionEdits);
  addSeparator();
  edit(QStringLiteral("layout"), tr("Lay out"), tr("Lay out everything again"), &NetworkCanvas::layOut);
  auto* generate = button(QStringLiteral("generate"), tr("Generate…"),
                          tr("Start from a fat tree, torus, dragonfly and others"));
  connect(generate, &QAction::triggered, this, &NetworkToolbar::generateRequested);
}

void NetworkToolbar::askForCopies() {
  bool ok = false;
  const int total =
      QInputDialog::getInt(this, tr("Duplicate"), tr("Total number of copies:"), 8, 2, 4096, 1, &ok);
  if (ok) m_canvas->duplicateSelected(total - 1);
}

void NetworkToolbar::addFolding() {
  m_options["folding"] = giveMenu(button(QStringLiteral("fold"), tr("Collapse"),
                                         tr("Collapse identical nodes into one box, such as “×32” (F)")));
  auto* key = new QAction(tr("Collapse or expand"), m_canvas);
  key->setShortcut(QKeySequence(Qt::Key_F));
  key->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  m_canvas->addAction(key);
  connect(key, &QAction::triggered, this, [this] {
    m_canvas->setFolding(m_canvas->scene().otherFolding());
    Q_EMIT optionChosen("folding", nameOf(m_canvas->scene().folding()));
  });
}

void NetworkToolbar::addTraffic() {
  m_traffic = button(QStringLiteral("traffic"), tr("Traffic"),
                     tr("Route the plan's traffic over the links; color shows how long a link is busy"));
  m_traffic->setCheckable(true);
  m_traffic->setChecked(QSettings().value(QStringLiteral("views/network/traffic"), true).toBool());
  connect(m_traffic, &QAction::toggled, this, [this](bool on) {
    if (!m_restoring) QSettings().setValue(QStringLiteral("views/network/traffic"), on);
    Q_EMIT trafficChanged();
  });
  auto* menu = new QMenu(this);
  m_kinds = new QActionGroup(this);
  for (const auto& choice : withExchanges({{"all", nameOfKind(std::nullopt)}})) {
    auto* a = menu->addAction(choice.label);
    a->setCheckable(true);
    a->setData(QString::fromStdString(choice.name));
    a->setChecked(m_kinds->actions().isEmpty());
    m_kinds->addAction(a);
    connect(a, &QAction::triggered, this, [this] {
      m_traffic->setChecked(true);
      Q_EMIT trafficChanged();
    });
  }
  m_traffic->setMenu(menu);
  if (auto* b = qobject_cast<QToolButton*>(widgetForAction(m_traffic)))
    b->setPopupMode(QToolButton::MenuButtonPopup);
}

std::optional<Exchange> NetworkToolbar::trafficKind() const {
  const QAction* chosen = m_kinds->checkedAction();
  return chosen ? exchangeNamed(chosen->data().toString().toStdString()) : std::nullopt;
}

std::string NetworkToolbar::traffic() const {
  const auto kind = trafficKind();
  return !showsTraffic() ? "none" : kind ? nameOf(*kind) : "all";
}

void NetworkToolbar::setTraffic(const std::string& name) {
  m_restoring = true;
  for (QAction* kind : m_kinds->actions())
    if (kind->data().toString().toStdString() == name) kind->setChecked(true);
  m_traffic->setChecked(name != "none");
  m_restoring = false;
  Q_EMIT trafficChanged();
}

QMenu* NetworkToolbar::giveMenu(QAction* action) {
  auto* menu = new QMenu(this);
  action->setMenu(menu);
  if (auto* b = qobject_cast<QToolButton*>(widgetForAction(action)))
    b->setPopupMode(QToolButton::InstantPopup);
  return menu;
}

void NetworkToolbar::setOption(const FigureOption& o) {
  QMenu* menu = m_options.at(o.key);
  menu->clear();
  for (const auto& choice : o.choices) {
    QAction* a = menu->addAction(choice.label);
    a->setCheckable(true);
    a->setChecked(choice.name == o.value);
    connect(a, &QAction::triggered, this,
            [this, key = o.key, name = choice.name] { Q_EMIT optionChosen(key, name); });
  }
}

void NetworkToolbar::setDrawn(bool drawn) {
  m_drawn = drawn;
  for (QAction* a : m_edits) a->setEnabled(drawn);
  m_traffic->setVisible(drawn);  // it is routed over drawn links
  chooseStyle();
  refreshSelectionEdits();
}

void NetworkToolbar::refreshSelectionEdits() {
  const bool any = m_drawn && m_canvas->hasSelection();
  for (QAction* a : m_selectionEdits) a->setEnabled(any);
}

void NetworkToolbar::resizeEvent(QResizeEvent* e) {
  QToolBar::resizeEvent(e);
  chooseStyle();
}

/// Names where all buttons have room with them: none is to go behind the "›" for a name.
void NetworkToolbar::chooseStyle() {
  int named = 0;
  for (QAction* a : actions()) {
    const auto* button = qobject_cast<const QToolButton*>(widgetForAction(a));
    if (!a->isVisible()) continue;
    named += !button ? kSeparator
                     : iconSize().width() + kAroundName + fontMetrics().horizontalAdvance(a->text()) +
                           (a->menu() ? kMenuMark : 0);
  }
  const auto style = named <= width() ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly;
  if (style != toolButtonStyle()) setToolButtonStyle(style);
}

}  // namespace nest
