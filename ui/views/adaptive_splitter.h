#pragma once

#include <QSplitter>

namespace nest {

/// Two parts one above the other; side by side where that would leave both too low.
class AdaptiveSplitter : public QSplitter {
  Q_OBJECT
public:
  /// `low`: the height in pixels below which they stand side by side, if there is room for that. `shares`: of
  /// the first and second part.
  AdaptiveSplitter(int low, QList<int> shares, QWidget* parent = nullptr);

  /// Shows or hides the second part; as it appears, each gets its share.
  void showSecond(bool);

protected:
  void resizeEvent(QResizeEvent*) override;

private:
  int m_low;
  QList<int> m_shares;
};

}  // namespace nest
