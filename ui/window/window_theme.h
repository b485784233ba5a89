#pragma once

#include <QObject>
#include <optional>

#include "theme/theme.h"

namespace nest {

/// The dress of one window: what was asked for, else what the user chose, else what the desktop has.
class WindowTheme : public QObject {
  Q_OBJECT
public:
  /// `asked`: of this window alone. `remembers`: the user's choice is read and kept.
  WindowTheme(std::optional<Theme::Kind> asked, bool remembers, QObject* parent);

  Theme::Kind kind() const { return m_kind; }
  void toggle();  ///< the user's choice

Q_SIGNALS:
  void changed();

private:
  std::optional<Theme::Kind> chosen() const;
  void apply(Theme::Kind);

  std::optional<Theme::Kind> m_asked;
  bool m_remembers, m_isChosen = false;  ///< by the user, in this window
  Theme::Kind m_kind;
};

}  // namespace nest
