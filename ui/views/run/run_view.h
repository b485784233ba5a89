#pragma once

#include <array>
#include <memory>

#include "run/run_unit.h"
#include "views/view.h"

class QLabel;
class QMenu;
class QTabWidget;
class QToolButton;

namespace nest {

class ChipBox;
class FailurePane;
class FigurePane;
class ImprovementPane;
class RunFigure;
class RunPane;
class SparePane;

/// The run under the plan: where its calendar time goes, what failures cost, what improvements save and what
/// spare hosts buy, in a unit that one switch chooses. What the scenario does not say is asked for by name,
/// with a link to the field.
class RunView : public View {
  Q_OBJECT
public:
  explicit RunView(ViewServices services, QWidget* parent = nullptr);
  ~RunView() override;

  QString id() const override { return QStringLiteral("run"); }
  QString title() const override { return tr("Run"); }
  const Figure* figure() const override;
  std::vector<const Figure*> figures() const override;
  std::optional<SelectionItem> marked() const override;
  bool isOfOnePlan() const override { return true; }
  std::optional<SavedTable> table() const override;  ///< of what is in front and takes solves
  void showTable(const SavedTable&) override;
  QString whyNotKept() const override;
  void compute(const Control&) override;

  RunUnit unit() const;
  void chooseUnit(RunUnit);
  QString asked() const;  ///< which fields are asked for, as text
  FailurePane& failures() const { return *m_failures; }
  ImprovementPane& improvements() const { return *m_improvements; }
  SparePane& spares() const { return *m_spares; }
  enum class Part { Time, Failures, Improvements, Spares };
  Part part() const;  ///< in front
  void showPart(Part);
  /// Makes the chosen failure happen in the scenario, as one undo step, to be looked at in What-if.
  void tryFailure();
  /// Asks for the chosen improvement in What-if.
  void tryImprovement();

Q_SIGNALS:
  void fieldRequested(const QString& pointer);
  void tryRequested(const QString& pointer, double value);  ///< of a field, in What-if
  void whatIfRequested();                                   ///< the scenario is to be changed for it

protected:
  void refresh() override;
  void applyState(const State&) override;

private:
  void showOptions();
  void refreshUnits();
  void refreshAsked();
  void addFailureActions(QMenu&);
  void addImprovementActions(QMenu&);
  RunPane* paneOf(Part) const;  ///< null: it takes no solves

  std::unique_ptr<RunFigure> m_time;
  Selection m_part;  ///< of m_time
  FigurePane* m_timePane;
  FailurePane* m_failures;
  ImprovementPane* m_improvements;
  SparePane* m_spares;
  QTabWidget* m_tabs;
  std::array<QWidget*, 4> m_partButtons;  ///< by Part
  ChipBox* m_unit;
  QToolButton* m_losses;  ///< without the useful time
  QLabel* m_asked;
};

}  // namespace nest
