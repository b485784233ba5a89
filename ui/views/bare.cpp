#include "views/bare.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QLineEdit>
#include <QTabBar>

namespace nest {

void hideControls(QWidget& view) {
  for (auto* w : view.findChildren<QWidget*>()) {
    const QWidget* of = w->parentWidget();
    if (qobject_cast<const QTabBar*>(of) || qobject_cast<const QAbstractItemView*>(of)) continue;
    if (qobject_cast<QAbstractButton*>(w) || qobject_cast<QLineEdit*>(w) || qobject_cast<QComboBox*>(w))
      w->hide();
  }
}

}  // namespace nest
