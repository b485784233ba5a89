#include "monkey.h"

#include <unistd.h>
#include <QAbstractButton>
#include <QApplication>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <cstring>

#include "solver/solve.h"
#include "views/figure_view.h"
#include "window/views_area.h"

namespace nest::test {
namespace {

/// Plain memory: it is read when the program may have lost its own.
constexpr int kRemembered = 40, kLine = 120;
char lines[kRemembered][kLine];
int written = 0;

/// What ends the program.
bool isLeftAlone(const QString& id) {
  return id == QLatin1String("file.quit");
}

std::string textOf(const MainWindow& window) {
  auto& document = const_cast<MainWindow&>(window).document();
  return document.isEmpty() ? std::string() : writeScenario(document.scenario());
}

}  // namespace

Monkey::Monkey(std::uint64_t seed, const QString& folder) : m_engine(seed), m_seed(seed), m_folder(folder) {
  written = 0;
  WindowOptions options;
  options.remembers = chance(0.3);
  options.size = {900 + below(900), 600 + below(600)};
  m_window = std::make_unique<MainWindow>(
      [](const Problem& p, const Control& c, const Plan* start) { return solve(p, c, start); }, options);
  connect(&m_window->document(), &ScenarioDocument::opened, this, [this] { m_opened = textOf(*m_window); });
  if (chance(0.8)) openSample();
  m_window->show();
  QApplication::setActiveWindow(m_window.get());
  QTimer::singleShot(0, this, &Monkey::keepAnswering);
}

Monkey::~Monkey() = default;

void Monkey::note(const QString& what) {
  const QByteArray text = (QString::number(m_number) + QLatin1Char(' ') + what).toUtf8().left(kLine - 1);
  char* line = lines[written++ % kRemembered];
  std::fill(line, line + kLine, '\0');
  std::copy(text.begin(), text.end(), line);
}

void Monkey::printLastActions() {
  for (int i = std::max(0, written - kRemembered); i < written; ++i) {
    const char* line = lines[i % kRemembered];
    (void)!write(STDERR_FILENO, "  ", 2);
    (void)!write(STDERR_FILENO, line, strnlen(line, kLine));
    (void)!write(STDERR_FILENO, "\n", 1);
  }
}

void Monkey::fault(const QString& what) {
  m_faults += what;
}

void Monkey::act(int number) {
  // Each draws for itself, so that one can be left out and the others stay as they are.
  std::seed_seq own{m_seed, static_cast<std::uint64_t>(number)};
  m_engine.seed(own);
  m_number = number;
  step();
  QCoreApplication::processEvents();
  if (!m_window->isVisible()) m_window->show();  // closing it asks first; the next action opens it again
}

void Monkey::step() {
  struct Way {
    int weight;
    void (Monkey::*act)();
  };
  static constexpr Way kWays[] = {{14, &Monkey::trigger}, {22, &Monkey::click},     {16, &Monkey::press},
                                  {10, &Monkey::type},    {6, &Monkey::wheel},      {7, &Monkey::drag},
                                  {5, &Monkey::context},  {4, &Monkey::openSample}, {5, &Monkey::failAPart},
                                  {8, &Monkey::look},     {2, &Monkey::resize},     {5, &Monkey::rest}};
  int all = 0;
  for (const Way& w : kWays) all += w.weight;
  int drawn = below(all);
  m_answers = 0;
  for (const Way& w : kWays)
    if ((drawn -= w.weight) < 0) return (this->*w.act)();
}

QWidget* Monkey::someWidget(QWidget* within) {
  if (!within) {
    QWidgetList tops;
    for (QWidget* w : QApplication::topLevelWidgets())
      if (w->isVisible() && w->windowType() != Qt::ToolTip) tops += w;
    if (tops.isEmpty()) return m_window.get();
    within = chance(0.8) ? m_window.get() : tops[below(tops.size())];
  }
  // Down from the outside, so that what is large has no more chances than what is small.
  QWidget* w = within;
  for (;;) {
    QWidgetList children;
    for (QObject* child : w->children())
      if (auto* c = qobject_cast<QWidget*>(child);
          c && c->isVisible() && !c->isWindow() && !c->visibleRegion().isEmpty())
        children += c;
    if (children.isEmpty() || (w != within && chance(0.1))) return w;
    w = children[below(children.size())];
  }
}

QPoint Monkey::somePoint(const QWidget* w) {
  return {below(std::max(1, w->width())), below(std::max(1, w->height()))};
}

void Monkey::trigger() {
  const auto& all = m_window->actions().entries();
  const auto& entry = all[below(static_cast<qsizetype>(all.size()))];
  if (isLeftAlone(entry.spec.id) || !entry.action->isEnabled()) return;
  note(QStringLiteral("command ") + entry.spec.id);
  entry.action->trigger();
}

void Monkey::click() {
  QPointer<QWidget> w = someWidget();
  const QPoint at = somePoint(w);
  const Qt::KeyboardModifiers keys = chance(0.1)   ? Qt::ControlModifier
                                     : chance(0.1) ? Qt::ShiftModifier
                                                   : Qt::NoModifier;
  note(QStringLiteral("click %1 \"%2\" at %3, %4")
           .arg(QLatin1String(w->metaObject()->className()), w->accessibleName().left(40))
           .arg(at.x())
           .arg(at.y()));
  QTest::mouseMove(w, at);
  if (chance(0.15))
    QTest::mouseDClick(w, Qt::LeftButton, keys, at);
  else
    QTest::mouseClick(w, Qt::LeftButton, keys, at);
}

void Monkey::press() {
  static const Qt::Key kKeys[] = {
      Qt::Key_Tab,    Qt::Key_Tab,      Qt::Key_Backtab, Qt::Key_Return,    Qt::Key_Escape,   Qt::Key_Space,
      Qt::Key_Up,     Qt::Key_Down,     Qt::Key_Left,    Qt::Key_Right,     Qt::Key_Home,     Qt::Key_End,
      Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Delete,  Qt::Key_Backspace, Qt::Key_Plus,     Qt::Key_Minus,
      Qt::Key_F,      Qt::Key_A,        Qt::Key_1,       Qt::Key_9,         Qt::Key_Question, Qt::Key_Menu};
  QWidget* w = QApplication::focusWidget();
  if (!w || chance(0.2)) w = someWidget();
  const Qt::Key key = kKeys[below(std::size(kKeys))];
  const Qt::KeyboardModifiers with = chance(0.1)   ? Qt::ControlModifier
                                     : chance(0.1) ? Qt::ShiftModifier
                                                   : Qt::NoModifier;
  if (key == Qt::Key_Q && with != Qt::NoModifier) return;
  QPointer<QWidget> in = w;
  for (int n = 1 + below(chance(0.2) ? 12 : 2); n > 0 && in; --n) {
    note(QStringLiteral("key %1 in %2")
             .arg(QKeySequence(key | with).toString(), QLatin1String(in->metaObject()->className())));
    QTest::keyClick(in.data(), key, with);
  }
}

void Monkey::type() {
  static const char* const kTexts[] = {"",
                                       "0",
                                       "1",
                                       "2",
                                       "8",
                                       "64",
                                       "-3",
                                       "1e9",
                                       "0.5",
                                       "80 GiB",
                                       "25 GB/s",
                                       "2 us",
                                       "auto",
                                       "né<b>w",
                                       "8@",
                                       "1e400",
                                       "host:2@1GB/s",
                                       "\"",
                                       "t=2, p=2",
                                       "layer 3 in stage 1"};
  QList<QLineEdit*> all;
  for (QWidget* top : QApplication::topLevelWidgets())
    for (auto* line : top->findChildren<QLineEdit*>())
      if (line->isVisible() && line->isEnabled() && !line->isReadOnly()) all += line;
  if (all.isEmpty()) return;
  QPointer<QLineEdit> line = all[below(all.size())];
  const QString text = QString::fromUtf8(kTexts[below(std::size(kTexts))]);
  note(QStringLiteral("type \"%1\" into %2").arg(text, line->accessibleName()));
  line->setFocus();
  line->selectAll();
  if (text.isEmpty()) QTest::keyClick(line.data(), Qt::Key_Backspace);
  for (const QChar c : text)
    if (line) QTest::sendKeyEvent(QTest::Click, line.data(), Qt::Key_unknown, c, Qt::NoModifier);
  if (line)
    QTest::keyClick(line.data(), chance(0.6) ? Qt::Key_Return : chance(0.5) ? Qt::Key_Tab : Qt::Key_Escape);
}

void Monkey::wheel() {
  QPointer<QWidget> w = someWidget();
  const QPointF at = somePoint(w);
  note(QStringLiteral("wheel over %1").arg(QLatin1String(w->metaObject()->className())));
  for (int n = 1 + below(5), up = chance(0.5) ? 120 : -120; n > 0 && w; --n) {
    QWheelEvent e(at, w->mapToGlobal(at), {}, {0, up}, Qt::NoButton,
                  chance(0.3) ? Qt::ControlModifier : Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(w, &e);
  }
}

void Monkey::drag() {
  QPointer<QWidget> w = someWidget();
  const QPoint from = somePoint(w);
  note(QStringLiteral("drag in %1 from %2, %3")
           .arg(QLatin1String(w->metaObject()->className()))
           .arg(from.x())
           .arg(from.y()));
  QTest::mousePress(w, Qt::LeftButton, {}, from);
  for (int n = 1 + below(6); n > 0 && w; --n) {
    const QPoint at = somePoint(w);
    QMouseEvent e(QEvent::MouseMove, at, w->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(w, &e);
    if (chance(0.1)) QTest::keyClick(w.data(), Qt::Key_Escape);
    QCoreApplication::processEvents();
  }
  if (w) QTest::mouseRelease(w, Qt::LeftButton, {}, somePoint(w));
}

void Monkey::context() {
  QPointer<QWidget> w = someWidget();
  const QPoint at = somePoint(w);
  note(QStringLiteral("menu of %1").arg(QLatin1String(w->metaObject()->className())));
  QContextMenuEvent e(QContextMenuEvent::Mouse, at, w->mapToGlobal(at));
  QCoreApplication::sendEvent(w, &e);
}

void Monkey::openSample() {
  const QStringList all = samplePaths();
  const QString path = chance(0.4) ? all.value(1) : all[below(all.size())];
  if (chance(0.3)) m_window->showGallery();
  note(QStringLiteral("open ") + path);
  m_window->openPath(path);
}

/// Through the menu of a view, as somebody would: "Fail …", or whatever else it offers.
void Monkey::failAPart() {
  const auto& views = m_window->views().views();
  auto* view = dynamic_cast<FigureView*>(views[below(static_cast<qsizetype>(views.size()))]);
  if (!view || m_window->document().isEmpty()) return;
  m_window->views().reveal(view->id());
  const std::unique_ptr<QMenu> menu(view->makeMenu(nullptr));
  QList<QAction*> fails, others;
  for (QAction* a : menu->actions())
    if (a->isEnabled() && !a->isSeparator() && !a->menu())
      (a->text().startsWith(QStringLiteral("Fail ")) ? fails : others) += a;
  const QList<QAction*>& all = !fails.isEmpty() && chance(0.7) ? fails : others;
  if (all.isEmpty()) return;
  QAction* chosen = all[below(all.size())];
  note(QStringLiteral("%1: %2").arg(view->id(), chosen->text()));
  chosen->trigger();
}

void Monkey::look() {
  ViewsArea& views = m_window->views();
  const auto& all = views.views();
  const QString id = all[below(static_cast<qsizetype>(all.size()))]->id();
  note(QStringLiteral("look at ") + id);
  if (chance(0.8)) return views.reveal(id);
  if (chance(0.5)) return views.showAlone(id);
  if (QDockWidget* dock = views.dockOf(id)) dock->setFloating(!dock->isFloating());
}

void Monkey::resize() {
  note(QStringLiteral("resize"));
  m_window->resize(400 + below(1600), 300 + below(1000));
}

void Monkey::rest() {
  note(QStringLiteral("wait for the plan"));
  (void)QTest::qWaitFor(
      [this] { return m_window->document().isEmpty() || m_window->session().context()->current; }, 300);
}

void Monkey::keepAnswering() {
  QTimer::singleShot(1, this, &Monkey::keepAnswering);
  if (QWidget* popup = QApplication::activePopupWidget())
    answerPopup(popup);
  else if (QWidget* dialog = QApplication::activeModalWidget())
    answerDialog(dialog);
}

void Monkey::answerPopup(QWidget* popup) {
  ++m_answers;
  if (m_answers > 6 || chance(0.3)) {
    popup->close();
    return;
  }
  auto* menu = qobject_cast<QMenu*>(popup);
  if (menu && chance(0.6) && !menu->actions().isEmpty()) {
    QAction* a = menu->actions().at(below(menu->actions().size()));
    if (!a->isEnabled() || a->isSeparator() || a->menu() || a->text().contains(QStringLiteral("Quit")))
      return;
    note(QStringLiteral("  in the menu: ") + a->text());
    menu->close();
    return a->trigger();
  }
  QTest::keyClick(popup, chance(0.7) ? Qt::Key_Down : Qt::Key_Return);
}

void Monkey::answerDialog(QWidget* widget) {
  QPointer<QWidget> dialog = widget;
  ++m_answers;
  if (auto* files = qobject_cast<QFileDialog*>(widget)) {
    if (m_answers > 6 || chance(0.2)) return files->reject();
    QString path = m_folder;
    if (files->fileMode() != QFileDialog::Directory) {
      const QString suffix = QStringList{"nest.json", "svg", "pdf", "png", "csv", "json"}.value(below(6));
      path += QStringLiteral("/file-%1.%2").arg(chance(0.7) ? m_files++ : below(m_files + 1)).arg(suffix);
    }
    note(QStringLiteral("  file ") + path);
    files->setDirectory(m_folder);
    files->selectFile(path);
    QMetaObject::invokeMethod(files, "accept");
    return;
  }
  if (auto* box = qobject_cast<QMessageBox*>(widget)) {
    QAbstractButton* b = box->buttons().value(below(box->buttons().size()));
    note(QStringLiteral("  answer ") + (b ? b->text() : QString()));
    return b ? b->click() : box->reject();
  }
  if (m_answers > 12 || chance(0.15)) {
    note(QStringLiteral("  leave the dialog"));
    dialog->close();
    return;
  }
  QPointer<QWidget> w = someWidget(dialog);
  note(QStringLiteral("  in the dialog: %1").arg(QLatin1String(w->metaObject()->className())));
  if (auto* box = qobject_cast<QComboBox*>(w.data()); box && box->count() > 0)
    box->setCurrentIndex(below(box->count()));
  else if (chance(0.5))
    QTest::mouseClick(w, Qt::LeftButton, {}, w->rect().center());
  else
    QTest::keyClick(w.data(), chance(0.5) ? Qt::Key_Tab : Qt::Key_Space);
}

void Monkey::undoAllAndRedoAll() {
  for (QWidget* w : QApplication::topLevelWidgets())
    if (w->isVisible() && w != m_window.get() && !qobject_cast<QDockWidget*>(w)) w->close();
  m_window->setFocus();  // fields give what was typed
  QCoreApplication::processEvents();
  ScenarioDocument& document = m_window->document();
  if (document.isEmpty()) return;
  document.cancelPreview();
  QUndoStack& history = document.history();
  const int steps = history.index();
  note(QStringLiteral("take back %1 steps").arg(steps));
  const std::string made = textOf(*m_window);
  while (history.canUndo()) history.undo();
  if (textOf(*m_window) != m_opened) fault(QStringLiteral("taking everything back gives another scenario"));
  while (history.index() < steps && history.canRedo()) history.redo();
  if (textOf(*m_window) != made) fault(QStringLiteral("doing everything again gives another scenario"));
  QCoreApplication::processEvents();
}

}  // namespace nest::test
