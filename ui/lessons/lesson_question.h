#pragma once

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "lessons/lesson.h"

class QLabel;
class QLineEdit;
class QRadioButton;

namespace nest {

/// How a question is answered. Once its answer is shown it cannot be changed.
class LessonQuestion : public QWidget {
  Q_OBJECT
public:
  using QWidget::QWidget;

  /// As files of answers have it. nullopt: it is not answered yet, `whyNot` says what is missing.
  virtual std::optional<std::vector<double>> given(QString& whyNot) const = 0;
  /// What was answered, fixed; `right` is shown with it, unless it is empty.
  virtual void showAnswer(const std::vector<double>& given, const std::vector<double>& right) = 0;

Q_SIGNALS:
  void edited();
  void entered();  ///< the student pressed Enter
};

/// One of several options.
class ChoiceQuestion : public LessonQuestion {
  Q_OBJECT
public:
  /// `options`: HTML.
  explicit ChoiceQuestion(const QStringList& options, QWidget* parent = nullptr);
  std::optional<std::vector<double>> given(QString& whyNot) const override;
  void showAnswer(const std::vector<double>& given, const std::vector<double>& right) override;

protected:
  bool eventFilter(QObject*, QEvent*) override;

private:
  std::vector<QRadioButton*> m_buttons;
  std::vector<QLabel*> m_texts, m_marks;
};

/// A number in a unit.
class NumberQuestion : public LessonQuestion {
  Q_OBJECT
public:
  explicit NumberQuestion(const LessonUnit&, QWidget* parent = nullptr);
  std::optional<std::vector<double>> given(QString& whyNot) const override;
  void showAnswer(const std::vector<double>& given, const std::vector<double>& right) override;

private:
  LessonUnit m_unit;
  QLineEdit* m_field;
};

}  // namespace nest
