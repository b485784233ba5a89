#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "figures/study/purchase_figure.h"
#include "views/view.h"

class QPushButton;

namespace nest {

class BackgroundRun;
class ChipBox;
class FigurePane;

/// Which of the scenario's offers to buy for which of its jobs, solved in the background when it is asked
/// for, and by itself where that is little work. Cells appear as they are solved; each opens its plan in the
/// other views.
class PurchaseView : public View {
  Q_OBJECT
public:
  explicit PurchaseView(ViewServices services, QWidget* parent = nullptr);
  ~PurchaseView() override;

  QString id() const override { return QStringLiteral("purchase"); }
  QString title() const override { return tr("Purchase"); }
  const Figure* figure() const override { return &m_figure; }
  std::optional<SelectionItem> marked() const override { return m_cell.selected(); }
  std::optional<SavedTable> table() const override;
  void showTable(const SavedTable&) override;
  QString whyNotKept() const override;
  void compute(const Control&) override;
  void addToPaneMenu(QMenu&) override;

  void start();
  bool isBusy() const;
  PurchaseQuantity quantity() const;
  void choose(PurchaseQuantity);
  const PurchaseBoard& board() const { return m_figure.board(); }
  /// The plan of a cell, for what can be done with it.
  NamedPlan namedPlan(int cell) const;
  QString csv() const;  ///< empty: nothing is compared yet

protected:
  void refresh() override;
  void applyState(const State&) override;

private:
  /// What was compared for the fewest days, or the least energy.
  struct Compared {
    std::shared_ptr<const PurchaseGrid> grid;
    PurchaseMatrix matrix;
    std::map<PurchaseMeasure, PurchaseFlips> flips;  ///< by what decides; filled after the matrix
  };
  struct Source;
  Source source() const;
  void take(PurchaseMeasure goal, std::shared_ptr<const PurchaseGrid>, PurchaseMatrix);
  void takeFlips(PurchaseMeasure goal, PurchaseMeasure, PurchaseFlips);
  void takeErrors(const Diagnostics&);
  void forget();
  void startIfLittle();
  void showBoard();
  void refreshButtons();
  void sayIfOutdated();
  void saveCsv();
  void showPlan(int cell);  ///< in all views
  bool hasOffers() const;
  FigureState emptyState() const;
  const Compared* compared() const;
  /// The same cells, decided by a measure.
  static PurchaseMatrix decided(const PurchaseGrid&, const PurchaseMatrix&, PurchaseMeasure);

  PurchaseFigure m_figure;
  Selection m_cell;
  std::map<PurchaseMeasure, Compared> m_compared;  ///< by goal: Days also decides on money
  std::shared_ptr<const Scenario> m_scenario;      ///< that was compared; null: none
  std::set<PurchaseMeasure> m_started;             ///< goals that it began to solve for by itself
  QString m_wrong;                                 ///< why its offers could not be compared
  bool m_isKept = false;                           ///< the board is that of a slide
  FigurePane* m_pane;
  ChipBox* m_show;
  BackgroundRun* m_backgroundRun;
  QPushButton* m_showPlan;
  QWidget* m_saveCsv;
};

}  // namespace nest
