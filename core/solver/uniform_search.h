#pragma once

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "solver/bounds/line_crossings.h"
#include "solver/bounds/search_bounds.h"
#include "solver/bounds/windows.h"
#include "solver/models/line_model.h"
#include "solver/proof/incumbents.h"
#include "solver/solve.h"
#include "solver/tuning.h"

namespace nest::solver {

/// Shown in progress reports once the best plan is proven.
inline constexpr std::string_view kNextBest = "next best plans";

/// Searches all configurations with one strategy for all stages: bound, pop, solve (STATEMENT.md §6, steps
/// 1–5).
class UniformSearch {
public:
  /// What a plan may use at most. `memory` is in bytes, on its fullest device.
  struct Budget {
    int devices = std::numeric_limits<int>::max();
    double memory = std::numeric_limits<double>::infinity();
  };

  UniformSearch(const Problem&, const LayerOrder&, GroupShapes&, const SearchSpace&, Incumbents&, Watch&,
                const Tuning& = {});

  /// Groups stand anywhere on any line of a cluster with so much room (any_line.h).
  void boundLinesOf(const LineRoom& room) { m_room = &room; }

  /// True if it ran to its end. Of the time to a deadline, and of states, it gets no more.
  struct Most {
    double share = 1;
    long long states = std::numeric_limits<long long>::max();
  };
  bool run(const Most&);
  bool run() { return run(Most()); }
  double lowerBound() const { return m_lowerBound; }  ///< valid at any moment; infinite if nothing is left
  void fillLog(Outcome&) const;
  long long tuples() const { return m_tuples; }
  const Tuning& tuning() const { return m_tuning; }

  /// Called after run(): the fastest plan within a budget, and among equals the preferred one, beginning from
  /// the known plans. nullopt if there is none, or if the search was stopped.
  std::optional<CandidatePlan> fastestWithin(const Budget&, const std::vector<CandidatePlan>& known);
  std::size_t entryCount() const { return m_candidates; }

  /// Solves a configuration again to find the preferred one among its equally fast plans.
  void settleTies(CandidatePlan&);
  LayerSums& sumsOf(int microbatch, int strategy, bool covered = false);
  BoundLedger& bounds() { return m_watch.bounds(); }
  /// The least costs of the layers, whether their sums exist yet or not. Null if they do not exist and a stop
  /// was requested.
  const LeastLayers* leastLayersOf(int microbatch, int strategy, bool covered);

  /// An item of searchBestFirst: one row of the log under one ZeRO stage. Where there are very many rows, an
  /// item may instead stand for all rows of one (b, σ, d) that are not listed yet; `entry` is then the index
  /// of that part and `zero` is kUnlisted.
  struct Item {
    double bound;
    int entry, zero;
    bool operator>(const Item& o) const {
      return std::tie(bound, entry, zero) > std::tie(o.bound, o.entry, o.zero);
    }
  };
  double limit() const { return m_incumbents->limit() * kRoundUp; }
  bool open(const Item&) const { return true; }
  void drop(const Item& item) {
    m_watch.bounds().countClosed(SearchBound::EvenWork, 1);
    if (item.zero != kUnlisted) note(m_entries[item.entry], CandidateResult::Bounded);
  }
  template <class Put>
  bool take(const Item&, Put put);
  void report(double bound, double done);

private:
  /// What all entries of one (b, σ, d) have in common.
  struct Group {
    LayerSums* sums = nullptr;
    int dataDegree = 1;
    std::array<double, 4> modelMemory{};  ///< per ZeRO stage: bytes of all stages together, without reserves
    std::array<double, 4> stageMemory{};  ///< lower bound on the bytes of the fullest stage
    std::array<double, 4> tailPerLoad{};  ///< sync and step of a first stage ≥ this × its least load
  };
  /// There can be millions of rows. If so, only those that may matter are listed.
  struct Entry {
    const Group* group = nullptr;
    std::array<double, 4> bound{};  ///< per ZeRO stage, weighted; infinite if excluded
    double best = 0, shortfall = 0;
    /// Of a second of its step among the incumbents, whose times are weighted. All within one row is in
    /// seconds.
    double weight = 1;
    int stages = 1, chunks = 1, shortStage = -1;
    int batch = 0, microbatchCount = 1;
    const PipelineSchedule* schedule = nullptr;
    CandidateResult result = CandidateResult::NotReached;
    double least() const { return *std::min_element(bound.begin(), bound.end()); }
  };
  struct TiedCase {
    std::optional<std::pair<int, int>> stages;  ///< stages of the two layers; nullopt if nothing is shared
    bool apart() const { return stages && stages->first != stages->second; }
  };

  /// Rows that are not listed yet, with the least of their bounds.
  struct Unlisted {
    double bound;
    int microbatch, strategy, dataDegree;
    bool covered;  ///< whether their schedules hide exchanges
  };

  static constexpr std::size_t kMostLogged = 200'000;
  static constexpr int kUnlisted = -1;

  Candidate candidateOf(const Entry&) const;
  void enumerate();
  int mostStages(const LayerSums&, int dataDegree) const;
  /// Whether a schedule runs with this number of stages, and whether the layers can be cut for it.
  bool runs(std::size_t choice, int stages, int microbatchCount, std::vector<signed char>& known) const;
  /// The batches with which s stages of one (b, σ, d) may be best under a schedule, the largest first.
  std::vector<Problem::BatchChoice> batchesOf(const std::vector<Problem::BatchChoice>& all,
                                              std::size_t choice, int stages);
  /// Calls `visit` with every row of one (b, σ, d), as an Entry whose group is valid during the call only.
  bool boundEntry(Entry&, const std::array<std::optional<StageFloor>, 4>& floors);
  template <class Visit>
  void visitEntries(LayerSums&, int dataDegree, bool covered, Visit visit);
  void addEntries(LayerSums&, int dataDegree, bool covered);
  void addUnlisted(LayerSums&, int dataDegree, bool covered);
  template <class Put>
  void list(const Unlisted&, Put put);
  bool drain();  ///< empties the heap from its top; returns whether nothing is left
  bool open(const Entry&, int zero) const;
  Item next(int index, double after, int zero) const;
  int devicesOf(const Entry& e) const {
    return e.group->dataDegree * e.stages * e.group->sums->strategy().width();
  }
  double leastMemory(const Entry& e, int zero) const {
    return e.group->modelMemory[zero] + e.stages * m_problem.assumptions.reserve.value();
  }
  template <class Visit>
  void visitGroups(bool byStrategy, Visit visit);
  /// For ZeRO 0, and for the other stages. Only those of the strategy requested last are kept.
  struct Gradients {
    std::optional<GradientFloor> whole, sharded;
  };
  Gradients& gradientsOf(const LayerSums&, int dataDegree);
  double room() const { return m_budget ? m_budgetRoom : m_roomiest; }
  void note(Entry&, CandidateResult, double time = 0) const;
  /// In seconds of the row.
  double limitFor(const Entry& e, const CandidatePlan& degrees) const {
    return m_incumbents->limit(degrees) / e.weight;
  }
  void processChain(Entry&, int index, int zero);
  bool sharpen(Entry&, int index, int zero);
  double deepBound(const Entry&, int zero, double limit) const;
  bool maySyncWithin(double limit, const Entry&, int zero, const BlockLayout&);
  bool maySync(double limit, const Entry&, int zero, const BlockLayout&);
  const std::vector<double>* loadAt(LayerSums&, const BlockLayout&, int begin);
  void offerEven(Entry&, int index, int zero);
  bool isLong(const Entry&) const;
  void processInterleaved(Entry&, int index, int zero);
  double interleavedBound(const Entry&, int zero, const std::vector<int>& shardDegrees);
  int crossingsOf(const Entry&, const BlockLayout&, int level) const;
  double secondsOfCrossings(const Entry&, const BlockLayout&, int level, int leftOut) const;
  std::optional<PipelineCut> solveOnLines(const Entry&, int zero, const ChainConfiguration&, StageWindows,
                                          const std::vector<StageSite>&, const BlockLayout&, const CutRules&,
                                          double limit);
  std::optional<PipelineCut> solveSite(const Entry&, int zero, const ChainCosts&, StageWindows&,
                                       const CutRules&, double limit);
  Target targetOf(const Entry& e) const {
    return solver::targetOf(m_problem.search.objective, *e.schedule, e.microbatchCount, e.stages, e.chunks);
  }
  ChainConfiguration configurationOf(const Entry&, int zero) const;
  CandidatePlan foundOf(const Entry&, int zero) const;
  std::vector<TiedCase> tiedCases(int stages) const;
  CutRules rulesOf(const TiedCase&) const;
  std::optional<TiedPlace> tiedPlace(const TiedCase&, const BlockLayout&, int width) const;
  double mostLoad(const Entry&, int zero, double hops, double limit, double tail) const;
  std::optional<PipelineCut> cutEvenly(const ChainCosts&, StageWindows&, const CutRules&,
                                       const ObjectiveWeights&) const;
  double leastTail(const Entry&, int zero, const StageWindows&) const;
  bool openWindows(StageWindows&, const Entry&, int zero, double limit) const;
  bool openLeastWork(StageWindows&, const Entry&, int zero, double limit, long long spent) const;
  void noteShortage(Entry&, ChainConfiguration) const;

  const Problem& m_problem;
  const LayerOrder& m_order;
  GroupShapes& m_shapes;
  const SearchSpace& m_space;
  Incumbents* m_incumbents;
  Watch& m_watch;
  Tuning m_tuning;
  CutRules m_rules;
  const LineRoom* m_room = nullptr;  ///< null: groups stand where they stand
  std::optional<Budget> m_budget;
  double m_roomiest = 0, m_budgetRoom = 0;  ///< mostRoom(), of all and within the budget
  std::map<std::tuple<int, int, bool>, std::unique_ptr<LayerSums>> m_sums;
  std::deque<LeastLayers> m_leastLayers;
  std::deque<Group> m_groups;
  std::vector<int> m_unlike;  ///< result of layersUnlike()
  std::map<const LayerSums*, std::vector<LayerAlone>> m_heaviest;
  std::vector<Entry> m_entries;
  std::vector<Unlisted> m_unlisted;
  using Tables = std::tuple<const LayerSums*, const ExchangeSums*, const ExchangeSums*>;
  std::map<Tables, std::vector<double>> m_loads;  ///< results of loadAt()
  std::map<int, Gradients> m_gradients;           ///< by d, for one strategy
  int m_gradientsOf = -1;
  std::map<int, std::vector<signed char>> m_runs;  ///< results of runs(), by microbatch count
  std::size_t m_candidates = 0;                    ///< number of rows, listed or not
  std::vector<Candidate> m_notOffered;
  std::set<std::pair<int, int>> m_sharpened;  ///< pairs of entry and ZeRO stage
  double m_lowerBound = 0;
  ChainLabels::Storage m_storage;
  LineLabels::Storage m_lineStorage;
  long long m_tuples = 0, m_mostStates = std::numeric_limits<long long>::max();
};

}  // namespace nest::solver
