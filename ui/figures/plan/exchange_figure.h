#pragma once

#include <memory>
#include <string>
#include <vector>

#include "document/exchange_player.h"
#include "figures/paint/interactive_figure.h"

namespace nest {

/// One exchange of a plan as it is priced: a row per step with its level, what the ranks do, bytes, latency
/// and time on the wire, and the sum up to it; above, the ranks under the levels that join them. Items are
/// the steps: levels, with the number of the row.
class ExchangeFigure : public InteractiveFigure {
public:
  ExchangeFigure() : InteractiveFigure(QStringLiteral("exchange"), QStringLiteral("Exchange"), {1000, 560}) {}

  std::vector<FigureOption> offeredOptions(const PlanContext&) const override;
  /// "exchange": the id of one. One that the plan does not have gives way to its longest.
  void setOption(const std::string& key, const std::string& name) override;
  /// The same exchange of another stage, or else its longest.
  void showStage(int stage, const PlanContext&);
  /// Id of what is shown; empty: nothing.
  std::string shownId(const PlanContext&) const;
  std::optional<ExchangeInstant> beginning(const PlanContext&) const;  ///< of what is shown

  bool showsPlayhead() const override { return true; }

  /// What a row says, of one step or of those of a level together.
  struct Row {
    std::size_t first = 0, last = 0;  ///< steps, the last included
    int level = 0;
    QString move;
    Bytes bytes;
    Seconds latency, wire, begin, end;
  };
  /// As many as there are steps, or fewer where these have no room.
  std::vector<Row> rowsIn(const QRectF& area, const PlanContext&, bool standalone) const;

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  std::optional<Hit> itemAt(const QPointF&, const QRectF& area, const PlanContext&) const override;
  std::optional<SelectionItem> stepFrom(const std::optional<SelectionItem>&, Step,
                                        const PlanContext&) const override;
  std::optional<Hit> placeOf(const SelectionItem&, const QRectF& area, const PlanContext&) const override;
  QString sentenceOf(const SelectionItem&, const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  struct Shown;  ///< the exchanges of a plan, and the one that is shown
  const Shown& shown(const PlanContext&) const;
  struct Parts;
  Parts layOut(const QRectF& area, const PlanContext&, bool standalone) const;
  const ExchangeInstant* instantIn(const FigureStyle&, const PlanContext&) const;
  void drawRanks(FigurePainter&, const QRectF&, const ExchangeInstant*, const PlanContext&) const;
  void drawRow(FigurePainter&, const Parts&, std::size_t, const ExchangeInstant*, const PlanContext&) const;
  Hit hitOf(std::size_t row, const Parts&, const PlanContext&) const;
  SelectionItem itemOf(const Row&) const;

  std::string m_id;  ///< chosen
  mutable std::shared_ptr<const Shown> m_shown;
};

}  // namespace nest
