#pragma once

#include <memory>
#include <tuple>

#include "solver/models/chunk_model.h"
#include "solver/search.h"

namespace nest::planner {

/// The search over interleaved pipelines whose stages choose their strategies; begins from the best plans
/// known.
class ChunkSearch {
public:
  ChunkSearch(const Problem&, const LayerOrder&, GroupShapes&, const SearchSpace&, Search& uniform,
              Incumbents&, Watch&);

  bool run();  ///< true if it ran to its end
  /// After run(): offers the best plans that differ in their degrees, as many as the incumbents keep. False:
  /// not all of them, because that would have cost much more than run().
  bool runMany();
  /// After run(): offers, of the plans as fast as the best one, the one that STATEMENT.md §5 prefers.
  void settleTies();
  double lowerBound() const { return m_lowerBound; }  ///< of what was not looked at; infinite: nothing
  long long tuples() const { return m_tuples; }

  /// For searchBestFirst: pipelines of one family on so many units.
  struct Item {
    double bound;
    int family, units;
    bool sharp;  ///< the bound is as good as it gets
    bool operator>(const Item& o) const {
      return std::tie(bound, family, units) > std::tie(o.bound, o.family, o.units);
    }
  };
  double limit() const;
  bool open(const Item& item) const;
  void drop(const Item&) {}
  template <class Put>
  bool take(Item, Put put);
  void report(double bound, double done);

private:
  struct Family {
    ChunkConfiguration configuration;
    ChunkBounds bounds;
  };
  /// A layout whose best pipeline was as fast as any when it was found.
  struct Leader {
    Item item;
    BlockLayout layout;
    Found found;
  };
  void addFamilies(const ScheduleChoice&, int microbatch);
  void addFamilies(const ChunkConfiguration&);  ///< one for each set of cuts
  bool drain();
  double goal(const Item&) const;  ///< a pipeline must not take longer
  bool process(const Item&);       ///< false: ended early
  ChunkSolver solverOf(const Item&, const ChunkBounds::Prefixes&, const BlockLayout&);

  const Problem& m_problem;
  const LayerOrder& m_order;
  GroupShapes& m_shapes;
  const SearchSpace& m_space;
  Search& m_uniform;
  Incumbents& m_incumbents;
  Watch& m_watch;
  CutRules m_rules;
  double m_roomiest = 0;
  std::vector<std::unique_ptr<Family>> m_families;
  std::vector<Leader> m_leaders;
  bool m_many = false;
  long long m_mostStates = 0;
  double m_lowerBound = 0;
  long long m_tuples = 0;
};

}  // namespace nest::planner
