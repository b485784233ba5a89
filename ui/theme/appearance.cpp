#include "theme/appearance.h"

#include <QAbstractButton>
#include <QApplication>
#include <QEvent>
#include <QPalette>
#include <QRegularExpression>
#include <QSettings>
#include <QStandardPaths>
#include <QStyle>
#include <QStyleFactory>
#include <QToolBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace nest {
namespace {

Theme::Kind g_kind = Theme::Kind::Light;
double g_scale = 1;

constexpr const char *kPlainType = "plainType", *kPlainIcon = "plainIcon";  ///< pixels at scale 1

/// Whether type of this size came from `plain` at any scale: a style sheet brings back what it saw first.
bool isScaledFrom(int plain, int size) {
  for (int tenths = 8; tenths <= 20; ++tenths)
    if (size == std::lround(plain * tenths / 10.0)) return true;
  return false;
}

/// What has type or icons of its own, in addition to the application's.
void scaleWidget(QWidget& w) {
  if (w.testAttribute(Qt::WA_SetFont) && w.font().pixelSize() > 0) {
    const int now = w.font().pixelSize();
    const QVariant known = w.property(kPlainType);
    const int plain = known.isValid() && isScaledFrom(known.toInt(), now) ? known.toInt() : now;
    w.setProperty(kPlainType, plain);
    if (const int size = atWindowScale(plain); size != now) {
      QFont font = w.font();
      font.setPixelSize(size);
      w.setFont(font);
    }
  }
  auto* button = qobject_cast<QAbstractButton*>(&w);
  auto* bar = qobject_cast<QToolBar*>(&w);
  if (!button && !bar) return;
  if (!w.property(kPlainIcon).isValid())
    w.setProperty(kPlainIcon, bar ? bar->iconSize() : button->iconSize());
  const QSize plain = w.property(kPlainIcon).toSize();
  const QSize size(atWindowScale(plain.width()), atWindowScale(plain.height()));
  bar ? bar->setIconSize(size) : button->setIconSize(size);
}

/// Scales what is made later, before it is seen, and again where a style sheet takes that back.
class Scaler : public QObject {
public:
  using QObject::QObject;

protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Polish || event->type() == QEvent::FontChange)
      if (auto* w = qobject_cast<QWidget*>(watched)) scaleWidget(*w);
    return false;
  }
};

Scaler* g_scaler = nullptr;  ///< there is one as soon as any size but the usual one was set

/// Only what palette and Fusion cannot say: flat docks, quiet tabs, fields with an error state.
constexpr const char* kSheet = R"(
QMainWindow::separator { background: @border; width: 1px; height: 1px; }
QMainWindow::separator:hover { background: @accent; }
QDockWidget { titlebar-close-icon: none; titlebar-normal-icon: none; }
QTabBar { background: @panel; }
QTabBar::tab { background: transparent; color: @muted; padding: 5px 10px; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @text; border-bottom: 2px solid @accent; }
QTabBar::tab:hover:!selected { color: @text; }
QTabBar::tab:focus { color: @text; background: @grid; }
QTabWidget::pane { border: none; }
QMenuBar { background: @panel; border-bottom: 1px solid @border; padding: 1px 4px; }
QMenuBar::item { padding: 5px 9px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @grid; color: @text; }
QMenu { background: @canvas; border: 1px solid @border; padding: 4px; }
QMenu::item { padding: 5px 28px 5px 24px; border-radius: 4px; }
QMenu::item:selected { background: @accent; color: @accentText; }
QMenu::item:disabled { color: @muted; }
QMenu::separator { height: 1px; background: @grid; margin: 4px 8px; }
QToolBar { background: transparent; border: none; spacing: 2px; padding: 0; }
QToolBar[rail="true"] { background: @panel; border: none; border-right: 1px solid @border; padding: 2px; spacing: 0; }
QToolBar[rail="true"] QToolButton { padding: 0px 3px; }
QToolButton { border: 1px solid transparent; border-radius: 5px; padding: 4px; background: transparent; }
QToolButton:hover { background: @grid; }
QToolButton:pressed, QToolButton:checked { background: @idle; }
QToolButton:focus { border-color: @accent; }
QPushButton { background: @canvas; border: 1px solid @border; border-radius: 5px; padding: 5px 12px; outline: none; }
QPushButton:hover { border-color: @hover; }
QPushButton:pressed { background: @grid; }
QPushButton:focus { border-color: @accent; }
QPushButton:disabled { color: @muted; background: @panel; }
QPushButton[primary="true"] { background: @accent; color: @accentText; border-color: @accent; font-weight: 600; }
QPushButton[primary="true"]:focus { border-color: @text; }
QPushButton[primary="true"]:disabled { background: @idle; color: @muted; border-color: @idle; }
QPushButton[link="true"] { border: none; background: transparent; color: @accent; padding: 2px 4px; text-align: left; }
QPushButton[link="true"]:hover, QPushButton[link="true"]:focus { text-decoration: underline; }
QLineEdit, QComboBox { background: @canvas; border: 1px solid @border; border-radius: 4px; padding: 3px 6px; min-height: 18px;
  selection-background-color: @accent; selection-color: @accentText; }
QLineEdit:hover, QComboBox:hover { border-color: @hover; }
QLineEdit:focus, QComboBox:focus { border-color: @accent; }
QLineEdit[wrong="true"] { border-color: @error; }
QComboBox[chip="true"], QLineEdit[chip="true"] { border-radius: 10px; padding: 1px 4px 1px 9px; min-height: 18px; }
QLineEdit[chip="true"] { padding: 1px 7px; }
QComboBox[assumed="true"], QLineEdit[assumed="true"] { border-color: @warning; }
QComboBox::drop-down { border: none; width: 18px; }
QComboBox::down-arrow { image: url(:/icons/down-@suffix.svg); width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: @canvas; border: 1px solid @border; selection-background-color: @accent; selection-color: @accentText; }
QHeaderView { background: @panel; }
QHeaderView::section { background: @panel; color: @muted; border: none; border-bottom: 1px solid @border; padding: 4px 6px; }
QAbstractScrollArea { border: none; }
QTreeView, QListView, QTableView, QPlainTextEdit { background: @canvas; border: none; }
QTreeView::item, QListView::item { padding: 2px 0; }
QCheckBox::indicator { width: 13px; height: 13px; border: 1px solid @muted; border-radius: 3px; background: @canvas; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: @accent; }
QCheckBox::indicator:checked { background: @accent; border-color: @accent; image: url(:/icons/checked-@suffix.svg); }
QCheckBox::indicator:checked:focus { border-color: @text; }
QCheckBox::indicator:disabled { border-color: @border; background: @panel; }
QCheckBox::indicator:checked:disabled { background: @muted; }
QSlider { min-height: 20px; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: @border; }
QSlider::sub-page:horizontal { border-radius: 2px; background: @accent; }
QSlider::handle:horizontal { width: 12px; margin: -5px 0; border-radius: 7px; border: 1px solid @accent; background: @canvas; }
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { background: @accent; }
QSlider::sub-page:horizontal:disabled { background: @border; }
QSlider::handle:horizontal:disabled { border-color: @border; background: @panel; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: @border; border-radius: 4px; margin: 1px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: @hover; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page { background: none; border: none; width: 0; height: 0; }
QWidget[toast="note"], QWidget[toast="warning"], QWidget[toast="error"] { background: @canvas; border: 1px solid @border; border-left: 3px solid @accent; border-radius: 6px; }
QWidget[toast="warning"] { border-left-color: @warning; }
QWidget[toast="error"] { border-left-color: @error; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QMessageBox { messagebox-warning-icon: url(:/icons/box-warning-@suffix.svg); messagebox-critical-icon: url(:/icons/box-error-@suffix.svg); messagebox-information-icon: url(:/icons/box-note-@suffix.svg); messagebox-question-icon: url(:/icons/box-note-@suffix.svg); }
QToolTip { background: @canvas; color: @text; border: 1px solid @border; padding: 5px; }
QProgressBar { border: none; background: @grid; max-height: 3px; }
QProgressBar::chunk { background: @accent; }
*[role="muted"] { color: @muted; }
*[role="error"] { color: @error; }
*[role="warning"] { color: @warning; }
*[role="section"] { color: @text; font-weight: 600; }
)";

QString sheetFor(const Theme& theme) {
  using Colour = Theme::Role;
  QString sheet = QString::fromLatin1(kSheet);
  const std::pair<const char*, Colour> names[] = {{"@canvas", Colour::Canvas},
                                                  {"@panel", Colour::Panel},
                                                  {"@border", Colour::Border},
                                                  {"@grid", Colour::Grid},
                                                  {"@text", Colour::Text},
                                                  {"@muted", Colour::MutedText},
                                                  {"@accentText", Colour::AccentText},
                                                  {"@accent", Colour::Accent},
                                                  {"@hover", Colour::Hover},
                                                  {"@error", Colour::Error},
                                                  {"@warning", Colour::Warning},
                                                  {"@idle", Colour::Idle}};
  sheet.replace(QLatin1String("@suffix"),
                theme.kind() == Theme::Kind::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
  for (const auto& [name, role] : names) sheet.replace(QLatin1String(name), theme.color(role).name());
  if (g_scale == 1) return sheet;
  // Room grows with the type, hairlines do not.
  static const QRegularExpression pixels(QStringLiteral("(\\d+)px"));
  QString out;
  qsizetype from = 0;
  for (auto it = pixels.globalMatch(sheet); it.hasNext();) {
    const auto match = it.next();
    const int size = match.captured(1).toInt();
    out += sheet.mid(from, match.capturedStart() - from) +
           QStringLiteral("%1px").arg(size > 2 ? atWindowScale(size) : size);
    from = match.capturedEnd();
  }
  return out + sheet.mid(from);
}

}  // namespace

void dress(Theme::Kind kind) {
  g_kind = kind;
  const Theme& theme = Theme::of(kind);
  // Each of these goes through all widgets. (With a style sheet, the style does not say what it is based on.)
  static const bool isFusion = [] {
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    return true;
  }();
  (void)isFusion;
  QApplication::setPalette(theme.palette());
  if (const QFont type = Theme::font(13 * g_scale); QApplication::font() != type) QApplication::setFont(type);
  QToolTip::setFont(Theme::font(12.5 * g_scale));
  qApp->setStyleSheet(sheetFor(theme));
  if (!g_scaler) return;
  // With a style sheet come the fonts that widgets had when they were first shown.
  const QWidgetList all = QApplication::allWidgets();
  for (QWidget* w : all) scaleWidget(*w);
}

Theme::Kind dressedAs() {
  return g_kind;
}

double windowScale() {
  return g_scale;
}

int atWindowScale(int pixels) {
  return std::max(1, static_cast<int>(std::lround(pixels * g_scale)));
}

void setWindowScale(double scale) {
  scale = std::clamp(std::isfinite(scale) ? scale : 1.0, kSmallestScale, kLargestScale);
  if (std::exchange(g_scale, scale) == scale) return;
  if (!g_scaler) qApp->installEventFilter(g_scaler = new Scaler(qApp));
  dress(g_kind);
}

namespace {

/// What GTK's own settings file says, where a desktop keeps one: Qt without its desktop's plugin knows
/// nothing of it.
std::optional<Theme::Kind> gtkPreference() {
  for (const char* version : {"gtk-4.0", "gtk-3.0"}) {
    const QString file = QStandardPaths::locate(QStandardPaths::GenericConfigLocation,
                                                QLatin1String(version) + QStringLiteral("/settings.ini"));
    if (file.isEmpty()) continue;
    const QSettings settings(file, QSettings::IniFormat);
    const QString prefer =
        settings.value(QStringLiteral("Settings/gtk-application-prefer-dark-theme")).toString().toLower();
    if (prefer == QLatin1String("1") || prefer == QLatin1String("true")) return Theme::Kind::Dark;
    const QString name = settings.value(QStringLiteral("Settings/gtk-theme-name")).toString().toLower();
    if (name.endsWith(QLatin1String("-dark")) || name.endsWith(QLatin1String(":dark")))
      return Theme::Kind::Dark;
    if (!prefer.isEmpty() || !name.isEmpty()) return Theme::Kind::Light;
  }
  return std::nullopt;
}

}  // namespace

Theme::Kind desktopPreference() {
  if (qEnvironmentVariable("GTK_THEME").toLower().endsWith(QLatin1String(":dark"))) return Theme::Kind::Dark;
  if (const auto kind = gtkPreference()) return *kind;
  const QPalette p = QApplication::palette();
  return p.color(QPalette::Window).lightnessF() < p.color(QPalette::WindowText).lightnessF()
             ? Theme::Kind::Dark
             : Theme::Kind::Light;
}

}  // namespace nest
