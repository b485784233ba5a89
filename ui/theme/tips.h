#pragma once

#include <QPoint>
#include <QRect>
#include <QString>

class QWidget;

namespace nest {

/// Tips that richTip() and plainTip() made (theme/plain_text.h) carry a mark that no file can hold, and only
/// those are shown as HTML.

/// What a tip says, without the markup of ours.
QString textOfTip(const QString& tip);
/// Shows a tip at once: one of ours as HTML, any other as the text that it is. All code calls this instead of
/// QToolTip::showText.
void showTip(const QPoint& globalPosition, const QString& tip, QWidget*, const QRect& area = {});

}  // namespace nest
