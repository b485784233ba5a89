#pragma once

#include <QWidget>

#include "document/plan_context.h"
#include "theme/theme.h"

namespace nest {

/// The banner of a figure's frame, above a drawing that has no frame; away while there is nothing to say.
class PlanBanner : public QWidget {
public:
  explicit PlanBanner(QWidget* parent = nullptr);
  void show(const PlanContextPtr&, const Theme&);

protected:
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override { return {0, heightForWidth(width())}; }
  void resizeEvent(QResizeEvent*) override;
  void paintEvent(QPaintEvent*) override;

private:
  PlanContextPtr m_context;
  const Theme* m_theme;
};

}  // namespace nest
