#include "accessible/screen_reader.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QHash>
#include <QLabel>
#include <QTextDocumentFragment>
#include <utility>

#include "theme/tips.h"

namespace nest {
namespace {

using Value = std::function<QString()>;
using InSight = std::function<bool()>;

class GraphicAccessible : public QAccessibleWidget {
public:
  GraphicAccessible(QWidget* widget, Value value)
      : QAccessibleWidget(widget, QAccessible::Graphic), m_value(std::move(value)) {}
  QString text(QAccessible::Text t) const override {
    return t == QAccessible::Value && m_value ? m_value() : QAccessibleWidget::text(t);
  }

private:
  Value m_value;
};

class SightAccessible : public QAccessibleWidget {
public:
  SightAccessible(QWidget* widget, InSight inSight)
      : QAccessibleWidget(widget, QAccessible::Grouping), m_inSight(std::move(inSight)) {}
  QAccessible::State state() const override {
    QAccessible::State s = QAccessibleWidget::state();
    if (!m_inSight()) s.invisible = true;
    return s;
  }
  int childCount() const override { return m_inSight() ? QAccessibleWidget::childCount() : 0; }
  QAccessibleInterface* child(int i) const override {
    return m_inSight() ? QAccessibleWidget::child(i) : nullptr;
  }

private:
  InSight m_inSight;
};

using Make = std::function<QAccessibleInterface*(QWidget*)>;

/// How to make the interface of each widget that has one of its own.
QHash<const QObject*, Make>& makers() {
  static QHash<const QObject*, Make> all;
  return all;
}

QAccessibleInterface* makeInterface(const QString&, QObject* object) {
  const Make make = makers().value(object);
  return make ? make(static_cast<QWidget*>(object)) : nullptr;
}

void remember(QWidget& widget, Make make) {
  static const bool installed = (QAccessible::installFactory(makeInterface), true);
  Q_UNUSED(installed);
  makers().insert(&widget, std::move(make));
  QObject::connect(&widget, &QObject::destroyed, [](const QObject* gone) { makers().remove(gone); });
}

}  // namespace

void makeGraphic(QWidget& widget, Value value) {
  remember(widget, [value = std::move(value)](QWidget* w) { return new GraphicAccessible(w, value); });
}

void hideOutOfSight(QWidget& widget, InSight inSight) {
  remember(widget, [inSight = std::move(inSight)](QWidget* w) { return new SightAccessible(w, inSight); });
}

void setRichTip(QWidget& widget, const QString& tip) {
  if (widget.toolTip() == tip) return;
  widget.setToolTip(tip);
  widget.setAccessibleDescription(textOfTip(tip));
}

void setNamedText(QLabel& label, const QString& text) {
  if (label.text() == text) return;
  label.setText(text);
  label.setAccessibleDescription(
      label.textFormat() == Qt::RichText ? QTextDocumentFragment::fromHtml(text).toPlainText() : text);
}

}  // namespace nest
