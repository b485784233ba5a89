#pragma once

#include <QString>

class QLabel;
class QPushButton;
class QWidget;

namespace nest {

/// A text of a lesson: HTML that wraps, as high as it needs.
QLabel* lessonLabel(const QString& html, QWidget* parent);
/// A button that looks like a link.
QPushButton* lessonLink(const QString& text, QWidget* parent);

}  // namespace nest
