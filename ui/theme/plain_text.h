#pragma once

#include <QString>

namespace nest {

/// Text of others (names in a file, paths, messages about them) as it may be shown: control characters and
/// marks that turn the direction of writing are made visible. Line breaks and tabs stay.
QString visibleText(QString);

/// A tooltip that shows the text as it is, whatever stands in it.
QString plainTip(const QString&);
/// A tooltip written in HTML by us; what is put into it must be escaped.
QString richTip(const QString& html);

/// From now on no widget of the program takes text for HTML unless it was told to (QLabel::setTextFormat,
/// richTip): labels, those of message boxes included, and the tips of widgets, item views, menus and tabs.
/// Plain labels show what hides in their text.
/// May be called more than once.
void keepTextPlain();

}  // namespace nest
