#pragma once

#include <map>
#include <memory>
#include <vector>

#include "solver/dp_probe.h"
#include "solver/label_setting.h"
#include "solver/stage/chain_costs.h"

namespace nest {

/// The fronts of one configuration, unpruned, and what its stages cost. A column is a cut; with chunks, the
/// number of the stage that begins there.
struct DpProbe::Tables {
  /// Where all stages must recompute in the same way there is one for each policy, otherwise one alone.
  struct Pass {
    std::unique_ptr<solver::ChainCosts> costs;
    std::vector<std::vector<solver::Label>> fronts;  ///< by slot()
  };

  Tables(const Problem&, const Plan& shown);
  bool prepare();  ///< false: the profile lacks the plan's costs
  void fill();

  bool chunked() const { return !chunkCuts.empty(); }
  int columns() const { return chunked() ? stages + 1 : order.cutCount(); }
  std::size_t slot(int stage, int column) const {
    return static_cast<std::size_t>(stage) * static_cast<std::size_t>(columns()) +
           static_cast<std::size_t>(column);
  }
  const solver::ChainCosts& anyCosts() const { return *passes.front().costs; }
  solver::Parts partsOf(int stage, int from, int to, std::vector<solver::Part>& storage) const;
  solver::Step stepOf(const Pass&, int stage, int from, solver::Parts) const;
  bool hasLayers(int stage, int from) const;  ///< DpProbe::hasLayers()
  /// Whether enough layers are left before and behind, and no rule of the scenario forbids it.
  bool mayStand(int stage, int from, int to) const;
  /// Visits the columns before which a stage may end; `visit` returns false to end a chain's visit.
  template <class Visit>
  void visitEnds(int stage, int from, Visit visit) const {
    if (chunked()) {
      if (from == stage) visit(stage + 1);
      return;
    }
    for (int to = from + 1; to < columns(); ++to)
      if (order.subset(from, to) && mayStand(stage, from, to) && !visit(to)) return;
  }
  /// Visits the costs of a stage under each policy that may belong to the best pipeline.
  template <class Visit>
  void visitCosts(const Pass& pass, int stage, const solver::Step& step, solver::Parts parts,
                  Visit visit) const {
    if (step.prepared.count == 0) return;
    const solver::Transfers transfers = pass.costs->transfers(stage, parts);
    if (step.prepared.byLoad()) return visit(step.prepared.with(transfers));
    for (int k = 0; k < step.prepared.count; ++k)
      visit(step.prepared.under(step.prepared.choices[static_cast<std::size_t>(k)], transfers));
  }
  std::vector<DpAlternative> policiesOf(int stage) const;       ///< with chunks
  std::vector<DpAlternative> endsOf(int stage, int cut) const;  ///< without
  /// Bytes missing on a device under the policy that stores least; 0: it fits; infinite: not available.
  double shortfall(const Pass&, int stage, solver::Parts) const;
  double shortfall(const Pass&, int stage, solver::Parts, int policy) const;
  double slowestBefore(int stage) const;  ///< speed of a stage before, at most 1
  double fastestBefore(int stage) const;
  /// The least and the most backward work before a cell, seconds.
  std::pair<double, double> backwardBefore(int stage, int column) const;

  Problem problem;
  Plan plan;
  solver::LayerOrder order;
  solver::GroupShapes shapes;
  solver::SearchSpace space;
  std::map<int, std::unique_ptr<solver::LayerSums>> sums;  ///< by strategy
  solver::Target target;
  solver::ObjectiveWeights weights;
  std::unique_ptr<solver::CutRules> rules;
  std::vector<Pass> passes;
  int stages = 0;
  std::vector<int> path;       ///< of each stage the column at which it begins, and the last one
  std::vector<int> chunkCuts;  ///< empty: one chunk a stage
  std::vector<DpCell> cells;

private:
  void improve(DpAlternative&, const Pass&, int stage, const solver::Step&,
               const solver::StageCosts::Figures&) const;
  int cutOf(const std::vector<char>& placed) const;
  std::vector<Constraints::LayerPin> tiedLayers(const std::vector<int>& stageOf) const;
  template <class Model>
  void fillWith(Model& model, Pass&);
  void fillFirst(Pass&);
  void describeCells();
};

}  // namespace nest
