#pragma once

#include <QLayout>
#include <vector>

namespace nest {

/// Widgets from left to right, going on in a further line where the width ends; the last `trailing()` one
/// stands at the right edge of its line.
class FlowLayout : public QLayout {
public:
  explicit FlowLayout(int spacing, QWidget* parent = nullptr);
  ~FlowLayout() override;

  void insertWidget(int index, QWidget*);
  void setTrailing(QWidget*);  ///< added last, at the right
  void setFilling(QWidget*);   ///< takes what those beside it leave of one line

  void addItem(QLayoutItem*) override;
  int count() const override { return static_cast<int>(m_items.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return arrange({0, 0, width, 0}, false); }
  QSize minimumSize() const override;
  QSize sizeHint() const override;
  void setGeometry(const QRect&) override;

private:
  int arrange(const QRect&, bool apply) const;  ///< the height that it takes
  int widthBeside(const QLayoutItem*) const;    ///< of all others in one line

  std::vector<QLayoutItem*> m_items;
  QWidget *m_trailing = nullptr, *m_filling = nullptr;
};

}  // namespace nest
