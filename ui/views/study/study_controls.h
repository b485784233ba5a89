#pragma once

#include <QComboBox>
#include <QWidget>
#include <optional>
#include <vector>

#include "study/study_quantity.h"

class QLineEdit;
class QSpinBox;

namespace nest {

/// A list of parameters by group, in which one can type any part of a name.
class ParameterBox : public QComboBox {
  Q_OBJECT
public:
  /// `none`: the first row, which stands for no parameter; empty: there is no such row.
  explicit ParameterBox(const QString& name, const QString& none = {}, QWidget* parent = nullptr);

  /// Keeps what is chosen, if it is still there.
  void setParameters(const std::vector<Parameter>&);
  int chosen() const;  ///< index of the parameter; −1: none
  void choose(int index);
  static QString nameOf(const Parameter&);

Q_SIGNALS:
  void chosenChanged();

protected:
  void focusOutEvent(QFocusEvent*) override;

private:
  void takeText();
  int rowOf(int index) const;

  QString m_none;
  QStringList m_names;
};

/// From, to, steps and scale of the values that a study tries.
class RangeBox : public QWidget {
  Q_OBJECT
public:
  explicit RangeBox(const QString& of, QWidget* parent = nullptr);

  /// The ends and the number of values that an empty line stands for. Another parameter empties the lines.
  void showUsual(const Setting&, const Problem&, const Parameter&, bool fine);
  /// nullopt: `wrong` says what cannot be read.
  std::optional<StudyRange> range(const Setting&, const Parameter&, QString& wrong) const;
  void setRange(const QString& from, const QString& to, int steps, StudyScale);

Q_SIGNALS:
  void changed();

private:
  QLineEdit *m_from, *m_to;
  QSpinBox* m_steps;
  QComboBox* m_scale;
  QString m_of;
};

}  // namespace nest
