#pragma once

#include <QCoreApplication>

#include "figures/paint/interactive_figure.h"

namespace nest {

class FigurePainter;

/// A plan that is being cut by hand: the layers as a ribbon, as wide as their compute, and under it each
/// stage's load and memory. Items are stages, as everywhere.
class CutFigure : public InteractiveFigure {
  Q_DECLARE_TR_FUNCTIONS(CutFigure)
public:
  CutFigure() : InteractiveFigure(QStringLiteral("cuts"), tr("Cuts"), {1000, 620}) {}

  struct Draft {
    Plan plan;
    Evaluation evaluation;
    std::vector<double> edges;  ///< L + 1, 0 … 1: layers by their compute time
    int chosenCut = 0;          ///< the stage that begins there; 0: none
    bool showsChoice = false;   ///< the chosen cut is lit
    std::vector<StageEvaluation> best =
        {};  ///< of the plan to beat: its loads stand behind, and fix the axis
  };
  void setDraft(std::optional<Draft> draft) { m_draft = std::move(draft); }
  const std::optional<Draft>& draft() const { return m_draft; }
  void choose(int cut, bool shown);
  void showBare() { m_isBare = true; }  ///< on a slide nobody drags
  /// Layer edges of a plan for Draft::edges.
  static std::vector<double> edgesOf(const Problem&, const Plan&);

  /// Seconds at the top of the loads' axis: the same for all drafts that are not much slower than the best.
  double loadAxis() const;
  QPointF cutPosition(int stage, const QRectF& area, const PlanContext&) const;  ///< on the ribbon
  int cutAt(const QPointF&, const QRectF& area, const PlanContext&) const;       ///< 0: none
  int layerAt(double x, const QRectF& area, const PlanContext&) const;           ///< nearest edge
  bool isPolicyAt(const QPointF&, const QRectF& area, const PlanContext&) const;
  bool isStrategyAt(const QPointF&, const QRectF& area, const PlanContext&) const;
  /// Any plan must begin this stage where the draft does.
  bool isPinned(int stage, const PlanContext&) const;

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
  struct Parts {
    QRectF ribbon, loads, memory;
  };
  Parts partsOf(const QRectF& area, const PlanContext&, bool standalone) const;
  double xOf(int layer, const QRectF& ribbon) const;
  int stageAt(const QPointF&, const Parts&) const;
  void paintRibbon(FigurePainter&, const QRectF&, const PlanContext&) const;
  void paintLoads(FigurePainter&, const QRectF&, const PlanContext&) const;
  void paintMemory(FigurePainter&, const QRectF&, const PlanContext&) const;
  Hit hitOf(int stage, const Parts&, const PlanContext&) const;

  std::optional<Draft> m_draft;
  bool m_isBare = false;
};

}  // namespace nest
