#include "window/window_theme.h"

#include <QSettings>

#include "theme/appearance.h"
#include "theme/desktop_theme.h"

namespace nest {
namespace {

const auto kChosenKey = QStringLiteral("window/theme");
const auto kDesktopKey = QStringLiteral("window/desktopTheme");

std::optional<Theme::Kind> themeKept(const QString& key) {
  const QString kept = QSettings().value(key).toString();
  if (kept == QLatin1String("dark")) return Theme::Kind::Dark;
  if (kept == QLatin1String("light")) return Theme::Kind::Light;
  return std::nullopt;
}

void keepTheme(const QString& key, std::optional<Theme::Kind> kind) {
  if (!kind)
    QSettings().remove(key);
  else
    QSettings().setValue(key, *kind == Theme::Kind::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
}

}  // namespace

/// Without a choice of the user's the desktop's counts: at first as it was heard the last time, so that the
/// window need not change its dress.
WindowTheme::WindowTheme(std::optional<Theme::Kind> asked, bool remembers, QObject* parent)
    : QObject(parent), m_asked(asked), m_remembers(remembers), m_kind(desktopPreference()) {
  if (const auto kind = chosen()) {
    m_kind = *kind;
  } else {
    const Theme::Kind otherwise = m_kind;
    if (m_remembers) m_kind = themeKept(kDesktopKey).value_or(otherwise);
    connect(desktopTheme(this), &DesktopTheme::heard, this,
            [this, otherwise](std::optional<Theme::Kind> heard) {
              if (m_remembers) keepTheme(kDesktopKey, heard);
              if (!chosen() && !m_isChosen) apply(heard.value_or(otherwise));
            });
  }
  dress(m_kind);
}

std::optional<Theme::Kind> WindowTheme::chosen() const {
  return m_asked ? m_asked : m_remembers ? themeKept(kChosenKey) : std::nullopt;
}

void WindowTheme::toggle() {
  const auto other = m_kind == Theme::Kind::Dark ? Theme::Kind::Light : Theme::Kind::Dark;
  m_isChosen = true;
  if (m_remembers) keepTheme(kChosenKey, other);
  apply(other);
}

void WindowTheme::apply(Theme::Kind kind) {
  if (kind == m_kind) return;
  m_kind = kind;
  dress(kind);
  Q_EMIT changed();
}

}  // namespace nest
