#pragma once

#include <QTimer>
#include <QWidget>
#include <functional>

namespace nest {

/// A ring around something in a window. It moves along with it, and takes no clicks.
class PointerRing : public QWidget {
public:
  using Place = std::function<QRect()>;  ///< in the window; empty: it is not in sight

  explicit PointerRing(QWidget* window);
  void pointTo(Place, int forMs = 0);  ///< 0: until it points elsewhere
  void release();                      ///< to nothing
  bool isPointing() const { return m_place != nullptr; }

protected:
  void paintEvent(QPaintEvent*) override;

private:
  void follow();

  Place m_place;
  QTimer m_follow, m_end;
};

}  // namespace nest
