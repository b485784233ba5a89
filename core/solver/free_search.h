#pragma once

#include <tuple>

#include "solver/models/free_dp.h"
#include "solver/search.h"

namespace nest::planner {

/// Whether stages may choose their strategies, and have a choice.
bool choosesStrategies(const Problem&, const SearchSpace&);

/// No plan whose stages choose their strategies is faster, interleaved or not. At once.
double leastTime(const Problem&, const LayerOrder&, const SearchSpace&, Search& uniform);

/// The search over configurations whose stages choose their strategies; begins from the best plan with one
/// strategy. Plans that use one strategy are in its space too: its first plan is the best of all, exactly;
/// the further ones are those met on the way.
class FreeSearch {
public:
  FreeSearch(const Problem&, const LayerOrder&, GroupShapes&, const SearchSpace&, Search& uniform,
             Incumbents&, Watch&);

  bool run();  ///< true if it ran to its end
  /// After run(): offers the best plans that differ in their degrees, as many as the incumbents keep. False:
  /// not all of them, because that would have cost much more than run().
  bool runMany();
  /// After run(): offers, of the plans as fast as the best one, the one that STATEMENT.md §5 prefers.
  void settleTies();
  double lowerBound() const { return m_lowerBound; }
  long long tuples() const { return m_tuples; }

private:
  struct Item {
    double bound;
    int microbatch, dataDegree, zero, units;
    FreeBounds* bounds;
    bool sharp;  ///< the bound is as good as it gets
    bool operator>(const Item& o) const {
      return std::tie(bound, microbatch, dataDegree, zero, units) >
             std::tie(o.bound, o.microbatch, o.dataDegree, o.zero, o.units);
    }
  };
  bool drain();
  std::vector<Item> items();
  void addItems(int microbatch, const std::vector<LayerSums*>&, int dataDegree, std::vector<Item>&);
  /// A configuration whose best pipeline was as fast as any when it was found.
  struct Leader {
    FreeConfiguration configuration;
    std::vector<LayerSums*> sums;
    FreeBounds* bounds;
    Found found;
  };
  void process(const Item&);
  void sharpen(Item&);
  FreeDp::Goal goal(const Item&) const;
  bool open(const Item&) const;
  double limit() const;  ///< what takes longer is of no interest

  const Problem& m_problem;
  const LayerOrder& m_order;
  GroupShapes& m_shapes;
  const SearchSpace& m_space;
  Search& m_uniform;
  Incumbents& m_incumbents;
  Watch& m_watch;
  CutRules m_rules;
  bool m_pinned;
  double m_roomiest = 0;
  std::vector<std::unique_ptr<FreeBounds>> m_bounds;
  std::map<const FreeBounds*, int> m_widest;  ///< units of its largest item
  std::vector<Leader> m_leaders;
  int m_many = 1;
  long long m_mostStates = 0;
  bool m_tired = false;
  double m_lowerBound = 0;
  long long m_tuples = 0;
};

}  // namespace nest::planner
