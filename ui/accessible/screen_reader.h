#pragma once

#include <QWidget>
#include <functional>

class QLabel;

namespace nest {

/// Makes a widget that paints itself a graphic to screen readers. `value` says what is chosen in it; null:
/// the accessible description does. Call once, from the constructor.
void makeGraphic(QWidget&, std::function<QString()> value = {});

/// Screen readers pass by the widget and all that is in it while `inSight` is false, although Qt calls it
/// visible (it lies behind other tabs). Call once, from the constructor.
void hideOutOfSight(QWidget&, std::function<bool()> inSight);

/// A tooltip of rich text: screen readers hear its words without the tags.
void setRichTip(QWidget&, const QString& html);

/// The text of a label that has an accessible name of its own: screen readers hear it as the description,
/// where the name would otherwise stand for the text.
void setNamedText(QLabel&, const QString& text);

}  // namespace nest
