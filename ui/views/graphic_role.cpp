#include "views/graphic_role.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QHash>
#include <utility>

namespace nest {
namespace {

using Value = std::function<QString()>;

QHash<const QObject*, Value>& graphics() {
  static QHash<const QObject*, Value> all;
  return all;
}

class GraphicAccessible : public QAccessibleWidget {
public:
  explicit GraphicAccessible(QWidget* widget) : QAccessibleWidget(widget, QAccessible::Graphic) {}
  QString text(QAccessible::Text t) const override {
    const Value value = t == QAccessible::Value ? graphics().value(widget()) : Value();
    return value ? value() : QAccessibleWidget::text(t);
  }
};

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
  auto* widget = qobject_cast<QWidget*>(object);
  return widget && graphics().contains(widget) ? new GraphicAccessible(widget) : nullptr;
}

}  // namespace

void makeGraphic(QWidget& widget, Value value) {
  static const bool installed = (QAccessible::installFactory(makeInterface), true);
  Q_UNUSED(installed);
  graphics().insert(&widget, std::move(value));
  QObject::connect(&widget, &QObject::destroyed, [](const QObject* gone) { graphics().remove(gone); });
}

}  // namespace nest
