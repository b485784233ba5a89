#include "lessons/lesson_labels.h"

#include <QLabel>
#include <QPushButton>

namespace nest {

QLabel* lessonLabel(const QString& html, QWidget* parent) {
  auto* label = new QLabel(html, parent);
  label->setTextFormat(Qt::RichText);
  label->setWordWrap(true);
  label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);  // Fixed would hold it to its hint's height
  policy.setHeightForWidth(true);
  label->setSizePolicy(policy);
  return label;
}

QPushButton* lessonLink(const QString& text, QWidget* parent) {
  auto* b = new QPushButton(text, parent);
  b->setProperty("link", true);
  b->setCursor(Qt::PointingHandCursor);
  return b;
}

}  // namespace nest
