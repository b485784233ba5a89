#pragma once

#include <QComboBox>

namespace nest {

/// A choice that bears its own name: "Colour: Stage ▾". As wide as what is chosen; the wheel passes it by.
class ChipBox : public QComboBox {
public:
  explicit ChipBox(const QString& label, QWidget* parent = nullptr);  ///< empty: only what is chosen
  QString shownText() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

protected:
  void paintEvent(QPaintEvent*) override;
  void wheelEvent(QWheelEvent*) override;

private:
  QString m_label;
};

}  // namespace nest
