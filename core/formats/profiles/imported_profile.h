#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/levels/cluster_source.h"
#include "diagnostics/diagnostic.h"
#include "model/layer_graph.h"
#include "model/profile.h"
#include "problem/job.h"

namespace nest {

/// A model whose layers someone has measured, with what else the file said.
struct ImportedProfile {
  std::string name;
  LayerGraph graph;
  Profile profile;
  std::optional<ClusterSource> cluster;            ///< where the file describes devices and network
  std::optional<Job> job;                          ///< where it tells batch, sequence or bytes per parameter
  bool tellsBatch = false, tellsSequence = false;  ///< which of `job` the file says

  friend bool operator==(const ImportedProfile&, const ImportedProfile&) = default;
};

/// Gathers layers and edges in any order and builds graph and profile from them: layers sorted topologically
/// (by number where that leaves a choice), layers of equal cost sharing a class, edges of one producer with
/// equal bytes being one tensor.
class ProfileBuilder {
public:
  ProfileBuilder(std::vector<Strategy> strategies, std::vector<int> microbatches);

  int addLayer(std::string name, LayerKind kind);
  void setCost(int layer, int strategy, int microbatch, LayerCost cost);
  /// `bytes`: one entry for each strategy and microbatch, microbatch fastest.
  void addEdge(int from, int to, std::vector<Bytes> bytes);

  int layerCount() const { return static_cast<int>(m_layers.size()); }
  std::size_t combinations() const { return m_strategies.size() * m_microbatches.size(); }
  /// nullopt, with an error at `where`, if the edges form a cycle or a layer reads itself.
  std::optional<ImportedProfile> build(const Place& where, Diagnostics& out) const;

private:
  struct Row {
    std::string name;
    LayerKind kind;
    std::vector<std::optional<LayerCost>> costs;
  };
  struct Edge {
    int from, to;
    std::vector<Bytes> bytes;
  };
  std::vector<int> topologicalOrder() const;  ///< shorter than the layers if there is a cycle

  std::vector<Strategy> m_strategies;
  std::vector<int> m_microbatches;
  std::vector<Row> m_layers;
  std::vector<Edge> m_edges;
};

/// Guesses what a layer is from its name: "Embedding", "lm_head", "ParallelTransformerLayer".
LayerKind layerKindNamed(const std::string& name);

}  // namespace nest
