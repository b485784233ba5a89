#pragma once

#include "views/figure_view.h"

class QMenu;

namespace nest {

/// One exchange of the plan, played step by step over the levels. It follows the selected stage.
class ExchangeView : public FigureView {
  Q_OBJECT
public:
  explicit ExchangeView(ViewServices, QWidget* parent = nullptr);

protected:
  void refresh() override;
  void applyState(const State&) override;

private:
  void follow();  ///< the figure, by what plays
};

/// "Play its longest exchange", of what is selected: a stage, or two devices or groups that exchange.
void addExchangeTo(QMenu&, Selection&, const PlanContext&);

}  // namespace nest
