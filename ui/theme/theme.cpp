#include "theme/theme.h"

#include <QFontDatabase>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

#include "theme/resources.h"

namespace nest {
namespace {

using Role = Theme::Role;
constexpr std::size_t kRoleCount = static_cast<std::size_t>(Role::Idle) + 1;
using Roles = std::array<QRgb, kRoleCount>;

/// In the order of Theme::Role: Canvas, Panel, Border, Grid, Text, MutedText, Accent, AccentText, Hover,
/// Selection, Warning, Error, Idle.
constexpr Roles kLight = {0xffffffff, 0xfff4f5f7, 0xffd3d7dd, 0xffe7eaee, 0xff1b1f24, 0xff5b6572, 0xff0a62ab,
                          0xffffffff, 0xff7a8594, 0xff0a62ab, 0xff8f5a00, 0xffb3261e, 0xffdfe3e8};
constexpr Roles kDark = {0xff16191d, 0xff1f2328, 0xff3a414a, 0xff2a3037, 0xffe8ebee, 0xff9aa5b1, 0xff58b0ee,
                         0xff0b1116, 0xffaab4c0, 0xff7cc4f7, 0xffe5b050, 0xffff8a7d, 0xff2f3a48};
constexpr Roles kPrint = {0xffffffff, 0xffffffff, 0xff9aa1aa, 0xffd9dde2, 0xff000000, 0xff444b54, 0xff00528f,
                          0xffffffff, 0xff5b6572, 0xff00528f, 0xff7a4d00, 0xff9c1c16, 0xffe4e7eb};

/// Okabe and Ito, "Color universal design" (2008); grey stands in for their black, which is the text's.
constexpr std::array<QRgb, 8> kCategories = {0xff56b4e9, 0xffe69f00, 0xff009e73, 0xffcc79a7,
                                             0xfff0e442, 0xff0072b2, 0xffd55e00, 0xff999999};

/// Stages beyond the eighth have the same hues darker, lighter, and darker still, so that they differ where
/// boxes are too small for a hatch or number. Shares chosen such that the 32 and the colour of idle devices
/// lie as far apart as they can (10 units of CIELAB at least).
struct Shade {
  int towards;
  double share;
};
constexpr std::array<Shade, 4> kShades = {{{0, 0}, {0, 0.30}, {255, 0.45}, {0, 0.56}}};

/// Cividis at tenths (Nuñez, Anderton and Renslow 2018).
constexpr std::array<QRgb, 10> kCividis = {0xff00204d, 0xff00336f, 0xff39486b, 0xff575c6d, 0xff707173,
                                           0xff8a8779, 0xffa69d75, 0xffc4b56c, 0xffe4cf5b, 0xffffea46};

/// Relative luminance, WCAG 2.
double luminance(const QColor& c) {
  const auto linear = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

const Roles& rolesOf(Theme::Kind kind) {
  return kind == Theme::Kind::Dark ? kDark : kind == Theme::Kind::Print ? kPrint : kLight;
}

QString loadFamily() {
  loadResources();
  QString family;
  for (const char* file : {"Regular", "Medium", "Bold"}) {
    const int id =
        QFontDatabase::addApplicationFont(QStringLiteral(":/fonts/Roboto-%1.ttf").arg(QLatin1String(file)));
    const QStringList families = id < 0 ? QStringList() : QFontDatabase::applicationFontFamilies(id);
    if (family.isEmpty() && !families.isEmpty()) family = families.front();
  }
  return family.isEmpty() ? QStringLiteral("DejaVu Sans") : family;
}

}  // namespace

const Theme& Theme::of(Kind kind) {
  static const Theme light(Kind::Light), dark(Kind::Dark), print(Kind::Print);
  return kind == Kind::Dark ? dark : kind == Kind::Print ? print : light;
}

QColor Theme::color(Role role) const {
  return QColor(rolesOf(m_kind)[static_cast<std::size_t>(role)]);
}

QColor Theme::stage(int stage) const {
  const auto s = static_cast<std::size_t>(std::max(stage, 0));
  const QColor c(kCategories[s % kCategories.size()]);
  const Shade& shade = kShades[s / kCategories.size() % kShades.size()];
  const auto mix = [&](int v) {
    return static_cast<int>(std::lround(v + (shade.towards - v) * shade.share));
  };
  const QColor shaded(mix(c.red()), mix(c.green()), mix(c.blue()));
  return m_kind == Kind::Dark ? shaded.darker(108) : shaded;
}

int Theme::stageHatch(int stage) const {
  const int round = std::max(stage, 0) / static_cast<int>(kCategories.size());
  return (round + round / static_cast<int>(kShades.size())) % 4;
}

QColor Theme::magnitude(double zeroToOne) const {
  const double share = std::clamp(std::isfinite(zeroToOne) ? zeroToOne : 0.0, 0.0, 1.0);
  const double x = (m_kind == Kind::Dark ? share : 1 - share) * (kCividis.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(x), kCividis.size() - 2);
  const double f = x - static_cast<double>(i);
  const QColor a(kCividis[i]), b(kCividis[i + 1]);
  const auto mix = [f](float p, float q) { return static_cast<float>(p + f * (q - p)); };
  return QColor::fromRgbF(mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

QColor Theme::textOn(const QColor& background) const {
  const double l = luminance(background);
  return (l + 0.05) / 0.05 >= 1.05 / (l + 0.05) ? QColor(Qt::black) : QColor(Qt::white);
}

QPalette Theme::palette() const {
  QPalette p;
  const auto set = [&p](QPalette::ColorRole role, const QColor& c) { p.setColor(role, c); };
  set(QPalette::Window, color(Role::Panel));
  set(QPalette::WindowText, color(Role::Text));
  set(QPalette::Base, color(Role::Canvas));
  set(QPalette::AlternateBase, color(Role::Panel));
  set(QPalette::Text, color(Role::Text));
  set(QPalette::PlaceholderText, color(Role::MutedText));
  set(QPalette::Button, color(Role::Panel));
  set(QPalette::ButtonText, color(Role::Text));
  set(QPalette::BrightText, color(Role::Error));
  set(QPalette::Highlight, color(Role::Accent));
  set(QPalette::HighlightedText, color(Role::AccentText));
  set(QPalette::Link, color(Role::Accent));
  set(QPalette::LinkVisited, color(Role::Accent));
  set(QPalette::ToolTipBase, color(Role::Panel));
  set(QPalette::ToolTipText, color(Role::Text));
  set(QPalette::Light, color(Role::Canvas));
  set(QPalette::Midlight, color(Role::Grid));
  set(QPalette::Mid, color(Role::Border));
  set(QPalette::Dark, color(Role::Border));
  set(QPalette::Shadow, color(Role::Border).darker(150));
  for (const auto role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
    p.setColor(QPalette::Disabled, role, color(Role::MutedText));
  p.setColor(QPalette::Disabled, QPalette::Highlight, color(Role::Idle));
  return p;
}

QFont Theme::font(double pixelSize, bool bold) {
  static const QString family = loadFamily();
  QFont f(family);
  f.setPixelSize(std::max(1, static_cast<int>(std::lround(pixelSize))));
  f.setWeight(bold ? QFont::DemiBold : QFont::Normal);
  f.setKerning(true);
  return f;
}

}  // namespace nest
