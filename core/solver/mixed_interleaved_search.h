#pragma once

#include <functional>
#include <map>
#include <memory>
#include <tuple>

#include "solver/bounds/least_work.h"
#include "solver/models/chunk_model.h"
#include "solver/uniform_search.h"

namespace nest::solver {

/// Searches the interleaved pipelines whose stages choose their own strategies, beginning from the best plans
/// known.
class MixedInterleavedSearch {
public:
  MixedInterleavedSearch(const Problem&, const LayerOrder&, GroupShapes&, const SearchSpace&,
                         UniformSearch& uniform, Incumbents&, Watch&);

  /// Called after the search: offers the best plans that differ in their degrees, as many as the incumbents
  /// keep. Returns false if some were not searched for, because that would have cost much more.
  bool runMany();
  /// Called after the search: among the plans as fast as the best one, offers the one that STATEMENT.md §5
  /// prefers.
  void settleTies();
  long long tuples() const { return m_tuples; }

  /// Pipelines of one (b, d, z, s, v) and one set of cuts.
  struct Family {
    ChunkConfiguration configuration;
    ChunkBounds bounds;
    int cuts = 0;  ///< index of the set of cuts
  };
  /// An item of searchBestFirst, for one b and schedule. From coarse to fine it stands for all d with the
  /// same microbatch count, those of one (z, s), those of one d, the pipelines of a family on at most `units`
  /// units, and those on exactly `units` units. An item is split into finer ones only where it may matter. If
  /// it stands for several d, `dataDegree` is the smallest.
  struct Item {
    enum class Kind { Group, GroupOfStages, Stages, AllUnits, Sharp };
    double bound;
    Kind kind;
    int choice, microbatch, dataDegree, zero = 0, stages = 0, units = 0;
    std::shared_ptr<const Family> family;
    bool operator>(const Item& o) const {
      const auto key = [](const Item& i) {
        return std::tuple(i.bound, i.choice, i.microbatch, i.dataDegree, i.zero, i.stages,
                          i.family ? i.family->cuts : -1, i.units, i.kind);
      };
      return key(*this) > key(o);
    }
  };
  /// The items that the search begins with.
  std::vector<Item> items();
  double limit() const;
  bool open(const Item& item) const;
  void drop(const Item&) {}
  using Put = std::function<void(Item)>;
  bool take(Item, const Put& put);
  void report(double bound, double done);

private:
  /// A layout whose best pipeline was as fast as the incumbent when it was found.
  struct Leader {
    Item item;
    BlockLayout layout;
    CandidatePlan found;
  };
  /// What all pipelines of one choice and microbatch size have in common.
  struct Microbatch {
    std::vector<LayerSums*> sums;
    LeastWork least;
  };
  Microbatch& microbatch(const Item&);
  int mostStages(const Item&) const;
  int microbatchCount(const Item&) const;
  void openGroup(const Item&, const Put& put);
  void openDegrees(const Item&, const Put& put);
  void openStages(const Item&, const Put& put);  ///< splits an item into families
  /// One per strategy. The reference is valid until the next call.
  const std::vector<GradientFloor>& gradientsOf(const Microbatch&, const std::vector<Sharding>&);
  std::vector<Family> families(const Item&, const std::vector<Sharding>&);
  Item allUnits(Item) const;  ///< all pipelines on at most `units` units
  bool drain();
  double goal(const Item&) const;  ///< slower pipelines are ignored
  bool process(const Item&);       ///< returns false if stopped early
  ChunkSolver solverOf(const Item&, const ChunkBounds::Prefixes&, const BlockLayout&);

  const Problem& m_problem;
  const LayerOrder& m_order;
  GroupShapes& m_shapes;
  const SearchSpace& m_space;
  UniformSearch& m_uniform;
  Incumbents& m_incumbents;
  Watch& m_watch;
  CutRules m_rules;
  double m_roomiest = 0;
  std::map<std::pair<int, int>, Microbatch> m_microbatches;  ///< by choice and microbatch size
  std::map<std::vector<Sharding>, std::vector<GradientFloor>> m_gradients;
  std::vector<Leader> m_leaders;
  bool m_many = false;
  long long m_mostStates = 0;
  long long m_tuples = 0;
};

}  // namespace nest::solver
