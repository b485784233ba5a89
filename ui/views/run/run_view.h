#pragma once

#include <memory>

#include "run/run_unit.h"
#include "views/view.h"

class QLabel;

namespace nest {

class ChipBox;
class FigurePane;
class RunFigure;

/// The run under the plan: where its calendar time goes, in a unit that one switch chooses. What the scenario
/// does not say is asked for by name, with a link to the field.
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

  RunUnit unit() const;
  void chooseUnit(RunUnit);
  QString asked() const;  ///< which fields are asked for, as text

Q_SIGNALS:
  void fieldRequested(const QString& pointer);

protected:
  void refresh() override;
  void applyState(const State&) override;

private:
  void showUnit();
  void refreshUnits();
  void refreshAsked();

  std::unique_ptr<RunFigure> m_time;
  Selection m_part;  ///< of m_time
  FigurePane* m_timePane;
  ChipBox* m_unit;
  QLabel* m_asked;
};

}  // namespace nest
