#include "formats/models/hf_patterns.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "text/json_parts.h"
#include "units/at.h"

namespace nest {
namespace {

using nlohmann::json;

void readStateSpace(ConfigFields& f, TransformerArchitecture& a, bool isAlone) {
  StateSpace s;
  const int expanded = f.optional({"expand", "mamba_expand"}, 2, 1, 64) * a.hidden;
  if (f.isGiven({"time_step_rank", "mamba_dt_rank"}) && !f.isGiven({"mamba_num_heads", "num_heads"})) {
    const char* key = f.isGiven({"time_step_rank"}) ? "time_step_rank" : "mamba_dt_rank";
    const json* rank = f.value(key);
    s.timeRank = rank && rank->is_number_integer() ? f.optional({key}, 1, 1, kMostWidth)
                                                   : (a.hidden + 15) / 16;  // "auto"
    s.headDim = 1;
    s.heads = isAlone ? f.optional({"intermediate_size", "d_inner"}, expanded, 1, kMostWidth * 8) : expanded;
    s.stateSize = f.optional({"state_size", "mamba_d_state"}, 16, 1, kMostWidth);
  } else {
    s.headDim = f.optional({"mamba_head_dim", "mamba_d_head", "head_dim"}, 64, 1, kMostWidth);
    s.heads =
        f.optional({"mamba_num_heads", "mamba_n_heads", "num_heads"}, expanded / s.headDim, 1, kMostWidth);
    s.stateSize = f.optional({"ssm_state_size", "mamba_d_state", "state_size"}, 128, 1, kMostWidth);
    s.groups = f.optional({"n_groups", "mamba_n_groups"}, 1, 1, kMostWidth);
    s.chunk = f.optional({"chunk_size", "mamba_chunk_size"}, 256, 1, kMostTokens);
    // Nemotron-H states a width of its own; transformers refuses such files of the other families.
    const long long width = 1LL * s.heads * s.headDim;
    if ((isAlone || f.isGiven({"mamba_n_heads"})) && width != expanded && !f.lacksSizes())
      f.fields().report(Severity::Warning, "config-contradiction", "",
                        "the " + std::to_string(s.heads) + " heads of " + std::to_string(s.headDim) +
                            " of the state space are " + std::to_string(width) +
                            " wide, but expand × hidden_size is " + std::to_string(expanded) +
                            "; the heads are used",
                        "correct the number of heads, their width or expand");
  }
  s.convolution = f.optional({"conv_kernel", "mamba_d_conv"}, 4, 0, 1024);
  s.projectionBias = f.flag({"mamba_proj_bias", "use_bias"}, false);
  s.convolutionBias = f.flag({"use_conv_bias", "mamba_conv_bias"}, true);
  a.stateSpace = s;
}

void readDeltaNet(ConfigFields& f, TransformerArchitecture& a) {
  DeltaNet d;
  d.keyHeads = f.size({"linear_num_key_heads"}, 16, 1, kMostWidth);
  d.valueHeads = f.size({"linear_num_value_heads"}, 32, 1, kMostWidth);
  d.keyHeadDim = f.size({"linear_key_head_dim"}, 128, 1, kMostWidth);
  d.valueHeadDim = f.size({"linear_value_head_dim"}, 128, 1, kMostWidth);
  d.convolution = f.optional({"linear_conv_kernel_dim"}, 4, 0, 1024);
  a.deltaNet = d;
}

/// Nemotron-H's letter for a word of layers_block_type.
char letterFor(const json& word) {
  static constexpr std::pair<const char*, char> kLetters[] = {
      {"mamba", 'M'}, {"attention", '*'}, {"mlp", '-'}, {"moe", 'E'}};
  for (const auto& [name, letter] : kLetters)
    if (word == name) return letter;
  return '?';
}

/// Decides block by block, then keeps the kinds that are left.
class Blocks {
public:
  Blocks(const ConfigFamily& family, ConfigFields& fields, TransformerArchitecture& architecture)
      : e(family), f(fields), a(architecture), m_blocks(static_cast<std::size_t>(a.layers)) {
    for (int i = 0; i < a.layers; ++i) block(i).feed = a.hasExperts(i) ? Feed::Experts : Feed::Dense;
  }

  void run() {
    decide();
    warnOfMissingKinds();
  }

private:
  void decide() {
    switch (e.pattern) {
      case BlockPattern::Hybrid:
        return hybrid(), keep();
      case BlockPattern::StateOnly:
        readStateSpace(f, a, true);
        a.mixer = Mixer::StateSpace;
        a.heads = a.keyValueHeads = a.stateSpace->heads;
        a.headDim = a.stateSpace->headDim;
        a.blockNorms = 1;
        return;
      case BlockPattern::Jamba:
        return jamba(), keep();
      case BlockPattern::MiMo:
        return miMo(), keep();
      case BlockPattern::BlockConfigs:
        return blockConfigs(), keep();
      case BlockPattern::LocalGlobal:
        return localGlobal(), keep();
      case BlockPattern::KimiDelta:
        return kimiDelta(), keep();
      case BlockPattern::Shortcut:
        for (int i = 1; i < a.layers; i += 2) block(i).feed = Feed::Dense;
        return keep();
      default:
        break;
    }
    // What the list of types repeats counts as read.
    if (e.pattern == BlockPattern::DeltaPeriod) f.isGiven({"full_attention_interval", "attn_output_gate"});
    if (e.pattern == BlockPattern::WindowIfUsed || e.pattern == BlockPattern::WindowPeriod)
      f.isGiven({"sliding_window", "use_sliding_window", "sliding_window_pattern", "layer_switch"});
    if (e.pattern == BlockPattern::ChunkPeriod)
      f.isGiven({"attention_chunk_size", "no_rope_layers", "no_rope_layer_interval"});
    const bool typed = byTypes();
    if (!typed) byPeriod();
    keep();
  }

  /// What the file describes and no layer has: a number or a list in it is wrong.
  void warnOfMissingKinds() {
    if (f.lacksSizes() || hasErrors(f.diagnostics())) return;
    const auto warn = [this](const std::string& kind, const char* remedy) {
      f.fields().report(
          Severity::Warning, "config-no-such-layer", "",
          "none of the " + std::to_string(a.layers) + " layers has " + kind + ", which the file describes",
          remedy);
    };
    const auto any = [this](auto has) { return std::any_of(m_blocks.begin(), m_blocks.end(), has); };
    if (a.experts && !any([](const BlockVariant& b) { return b.feed == Feed::Experts; }))
      warn("experts", "check where the layers with experts begin, and their period and offset");
    const bool isHybrid = e.pattern == BlockPattern::Hybrid || e.pattern == BlockPattern::Jamba ||
                          e.pattern == BlockPattern::MixerTypes || e.pattern == BlockPattern::DeltaPeriod;
    if (!isHybrid) return;
    if (!any([](const BlockVariant& b) { return b.mixer == Mixer::Attention; }))
      warn("attention", "check the period and the offset of attention, or the list of layer types");
    if (e.pattern == BlockPattern::DeltaPeriod && !a.deltaNet && f.isGiven({"linear_num_value_heads"})) {
      // The sizes are read so that no other message says that the family lacks such layers.
      f.isGiven({"linear_num_key_heads"}), f.isGiven({"linear_key_head_dim"});
      f.isGiven({"linear_value_head_dim"}), f.isGiven({"linear_conv_kernel_dim"});
      warn("linear attention", "check full_attention_interval, or the list of layer types");
    }
    if (e.pattern == BlockPattern::Jamba && !a.stateSpace) {
      f.isGiven({"mamba_d_state", "mamba_d_conv", "mamba_expand", "mamba_dt_rank", "mamba_conv_bias",
                 "mamba_proj_bias"});
      warn("a state space", "check the period and the offset of attention");
    }
  }

  BlockVariant& block(int i) { return m_blocks[at(i)]; }

  bool hasWindows() const {
    return e.pattern == BlockPattern::Window || e.pattern == BlockPattern::WindowIfUsed ||
           e.pattern == BlockPattern::WindowPeriod;
  }
  /// 0 where it reaches as far as the model does.
  int window() {
    if (f.isNull("sliding_window")) return 0;
    const int w = f.optional({"sliding_window", "sliding_window_size"}, e.window, 0, kMostTokens);
    return w >= a.maxPositions ? 0 : w;
  }
  int chunk() {
    const int c = f.optional({"attention_chunk_size"}, e.window, 0, kMostTokens);
    return c >= a.maxPositions ? 0 : c;
  }
  void setLinear(int i) {
    if (!a.deltaNet) readDeltaNet(f, a);
    block(i).mixer = Mixer::DeltaNet;
  }
  void setState(int i) {
    if (!a.stateSpace) readStateSpace(f, a, false);
    block(i).mixer = Mixer::StateSpace;
  }

  /// By a list of words; false: there is none.
  bool byTypes() {
    const char* key = "layer_types";
    const json* types = f.array(key);
    if (!types) types = f.array(key = "layers_block_type");
    if (!types) return false;
    if (types->size() != static_cast<std::size_t>(a.layers)) {
      f.fields().report(
          Severity::Error, "config-layer-types", key,
          std::to_string(types->size()) + " layer types for " + std::to_string(a.layers) + " layers",
          "give one for each layer");
      return true;
    }
    int narrow = 0;
    for (int i = 0; i < a.layers; ++i) {
      const json& t = (*types)[at(i)];
      const std::string type = t.is_string() ? t.get<std::string>() : std::string();
      if (type == "sliding_attention" && hasWindows()) {
        block(i).window = window();
      } else if (type == "chunked_attention" && e.pattern == BlockPattern::ChunkPeriod) {
        block(i).window = chunk(), block(i).windowIsChunk = block(i).window > 0;
      } else if (type == "linear_attention" && e.pattern == BlockPattern::DeltaPeriod) {
        setLinear(i);
      } else if (type == "conv" && e.pattern == BlockPattern::Convolution) {
        block(i).mixer = Mixer::ShortConvolution;
      } else if (type == "mamba" && e.pattern == BlockPattern::MixerTypes) {
        setState(i);
      } else if (type == "full_attention" && f.isGiven({"global_head_dim"})) {  // Gemma 4
        block(i).headDim = f.optional({"global_head_dim"}, a.headDim, 1, kMostWidth);
        block(i).keyValueHeads = f.optional({"num_global_key_value_heads"}, a.keyValueHeads, 1, kMostWidth);
        block(i).sharedKeyValue = f.flag({"attention_k_eq_v"}, false);
      } else if (type == "sliding_attention" || type == "chunked_attention") {
        ++narrow;
      } else if (type != "full_attention" && type != "attention" &&
                 !(type == "deepseek_sparse_attention" && a.sparse)) {
        f.fields().report(
            Severity::Error, "config-not-modelled", key,
            "layers of the type \"" + type.substr(0, 40) + "\" are not modelled for " + e.shownAs());
        return true;
      }
    }
    if (narrow > 0)
      f.fields().report(Severity::Warning, "config-not-modelled", key,
                        std::to_string(narrow) + " of the " + std::to_string(a.layers) +
                            " layer types ask for attention in a window, which models of the family " +
                            e.shownAs() + " do not have; these layers are costed with full attention");
    return true;
  }

  void byPeriod() {
    switch (e.pattern) {
      case BlockPattern::Window:
        for (int i = 0, w = window(); i < a.layers; ++i) block(i).window = w;
        break;
      case BlockPattern::WindowIfUsed:
        if (f.flag({"use_sliding_window"}, false)) {
          const int first = f.optional({"max_window_layers"}, 28, 0, kMostLayers);
          for (int i = first, w = window(); i < a.layers; ++i) block(i).window = w;
        }
        break;
      case BlockPattern::WindowPeriod: {
        const int period = windowPeriod(), w = window();
        for (int i = 0; i < a.layers; ++i)
          if (period > 0 && (i + 1) % period != 0) block(i).window = w;
        break;
      }
      case BlockPattern::ChunkPeriod:
        for (int i = 0, c = chunk(); i < a.layers; ++i)
          if (isChunked(i) && c > 0) block(i).window = c, block(i).windowIsChunk = true;
        break;
      case BlockPattern::Convolution:
        if (const json* full = f.array("full_attn_idxs"))
          for (int i = 0; i < a.layers; ++i)
            if (std::find(full->begin(), full->end(), json(i)) == full->end())
              block(i).mixer = Mixer::ShortConvolution;
        break;
      case BlockPattern::DeltaPeriod: {
        const int period = f.optional({"full_attention_interval"}, e.period, 1, kMostLayers);
        for (int i = 0; i < a.layers; ++i)
          if ((i + 1) % period != 0) setLinear(i);
        break;
      }
      default:
        break;
    }
  }

  /// A number, or a word with a letter per layer (EXAONE's "LLLG").
  int windowPeriod() {
    const json* p = f.value("sliding_window_pattern");
    if (p && p->is_string()) return static_cast<int>(p->get_ref<const std::string&>().size());
    return f.optional({"sliding_window_pattern", "_sliding_window_pattern", "layer_switch"}, e.period, 0,
                      kMostLayers);
  }
  /// The layers without rotary positions attend to everything.
  bool isChunked(int i) {
    const json* rotary = f.array("no_rope_layers");
    if (rotary && static_cast<std::size_t>(i) < rotary->size()) return (*rotary)[at(i)] != 0;
    const int period = f.optional({"no_rope_layer_interval"}, e.period, 1, kMostLayers);
    return (i + 1) % period != 0;
  }

  void hybrid() {
    const std::string letters = f.string("hybrid_override_pattern");
    const json* words = letters.empty() ? f.array("layers_block_type") : nullptr;
    const std::size_t count = words ? words->size() : letters.size();
    if (count != static_cast<std::size_t>(a.layers)) {
      f.fields().report(Severity::Error, "config-layer-types",
                        letters.empty() ? "layers_block_type" : "hybrid_override_pattern",
                        std::to_string(count) + " entries for " + std::to_string(a.layers) + " layers");
      return;
    }
    for (int i = 0; i < a.layers; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const char c = words ? letterFor((*words)[at]) : letters[at];
      block(i).mixer = Mixer::None;
      if (c == 'M')
        setState(i), block(i).feed = Feed::None;
      else if (c == '*')
        block(i).mixer = Mixer::Attention, block(i).feed = Feed::None;
      else if (c == 'E' && a.experts)
        block(i).feed = Feed::Experts;
      else if (c == '-')
        block(i).feed = Feed::Dense;
      else
        return f.fields().report(Severity::Error, "config-not-modelled", "hybrid_override_pattern",
                                 "a layer is none of mamba, attention, mlp and moe");
    }
  }

  /// Layers are numbered from 1; each stands in one of both lists.
  void kimiDelta() {
    const json* config = f.value("linear_attn_config");
    if (!config || !config->is_object()) return;
    const auto number = [&](const char* key, int byDefault) {
      const json& v = partOf(*config, key);
      const bool isSize = v.is_number_integer() && v.get<double>() >= 1 && v.get<double>() <= kMostWidth;
      return isSize ? v.get<int>() : byDefault;
    };
    DeltaNet d;
    d.keyHeads = d.valueHeads = number("num_heads", a.heads);
    d.keyHeadDim = d.valueHeadDim = d.gateRank = number("head_dim", 128);
    d.convolution = number("short_conv_kernel_size", 4);
    const json& whole = partOf(*config, "use_full_rank_gate");
    d.wholeGate = whole.is_boolean() && whole.get<bool>();
    const json &linear = partOf(*config, "kda_layers"), &full = partOf(*config, "full_attn_layers");
    const auto lists = [](const json& list, int layer) {
      return list.is_array() && std::find(list.begin(), list.end(), json(layer)) != list.end();
    };
    for (int i = 0; i < a.layers; ++i) {
      const bool isLinear = lists(linear, i + 1), isFull = lists(full, i + 1);
      if (linear.is_array() && full.is_array() && isLinear == isFull)
        return f.fields().report(Severity::Error, "config-layer-types", "linear_attn_config",
                                 "layer " + std::to_string(i + 1) +
                                     " must stand in one of kda_layers and "
                                     "full_attn_layers");
      if (linear.is_array() ? isLinear : !isFull) block(i).mixer = Mixer::DeltaNet;
    }
    a.deltaNet = d;
  }

  void jamba() {
    const int period = f.optional({"attn_layer_period"}, 8, 1, kMostLayers);
    const int offset = f.optional({"attn_layer_offset"}, 4, 0, kMostLayers);
    const int expertPeriod = f.optional({"expert_layer_period"}, 2, 1, kMostLayers);
    const int expertOffset = f.optional({"expert_layer_offset"}, 1, 0, kMostLayers);
    for (int i = 0; i < a.layers; ++i) {
      if (i % period != offset) setState(i);
      block(i).feed = a.experts && i % expertPeriod == expertOffset ? Feed::Experts : Feed::Dense;
    }
  }

  void miMo() {
    f.isGiven({"attention_chunk_size", "add_swa_attention_sink_bias"});
    const json* pattern = f.array("hybrid_layer_pattern");
    for (int i = 0; pattern && i < a.layers && static_cast<std::size_t>(i) < pattern->size(); ++i) {
      if ((*pattern)[at(i)] != 1) continue;
      BlockVariant& b = block(i);
      b.window = window();
      b.heads = f.optional({"swa_num_attention_heads"}, a.heads, 1, kMostWidth);
      b.keyValueHeads = f.optional({"swa_num_key_value_heads"}, a.keyValueHeads, 1, kMostWidth);
      b.headDim = f.optional({"swa_head_dim"}, a.headDim, 1, kMostWidth);
      b.valueHeadDim = f.optional({"swa_v_head_dim"}, a.valueHeadDim, 1, kMostWidth);
    }
  }

  void localGlobal() {
    const int w = f.optional({"window_size"}, 256, 1, kMostTokens);
    std::vector<bool> local;
    if (const json* types = f.array("attention_types"))
      for (const json& t : *types)
        if (t.is_array() && t.size() == 2 && t[0].is_array() && t[1].is_number_integer())
          for (int n = 0; n < t[1].get<int>() && local.size() < kMostLayers; ++n)
            for (const json& word : t[0]) local.push_back(word == "local");
    for (int i = 0; i < a.layers && static_cast<std::size_t>(i) < local.size(); ++i)
      if (local[at(i)]) block(i).window = w;
  }

  /// Attention and MLP of each block as a search left them: other groups, other widths, or none at all.
  void blockConfigs() {
    const json* configs = f.array("block_configs");
    if (!configs || configs->size() != static_cast<std::size_t>(a.layers) ||
        !std::all_of(configs->begin(), configs->end(), [](const json& c) { return c.is_object(); }))
      return f.fields().report(
          Severity::Error, "config-layer-types", "block_configs",
          "block_configs must describe each of the " + std::to_string(a.layers) + " layers");
    for (int i = 0; i < a.layers; ++i) {
      const json& c = (*configs)[at(i)];
      const json &attention = partOf(c, "attention"), &feed = partOf(c, "ffn");
      const auto is = [](const json& part, const char* key) {
        const json& v = partOf(part, key);
        return v.is_boolean() && v.get<bool>();
      };
      const auto figure = [](const json& part, const char* key) {
        const json& v = partOf(part, key);
        return v.is_number() ? v.get<double>() : 0.0;
      };
      if (is(attention, "replace_with_linear") || is(feed, "replace_with_linear"))
        return f.fields().report(Severity::Error, "config-not-modelled", "block_configs",
                                 "blocks whose attention or MLP is a single matrix are not modelled");
      BlockVariant& b = block(i);
      if (is(attention, "no_op"))
        b.mixer = Mixer::None;
      else if (const double group = figure(attention, "n_heads_in_group"); group >= 1)
        b.keyValueHeads = std::max(1, static_cast<int>(a.heads / group));
      if (is(feed, "no_op"))
        b.feed = Feed::None;
      else if (const double width = 2 * figure(feed, "ffn_mult") * a.hidden / 3; width > kMostWidth)
        return f.fields().report(Severity::Error, "json-range", "block_configs",
                                 "ffn_mult of block " + std::to_string(i) + " makes an MLP wider than " +
                                     std::to_string(kMostWidth));
      else if (width > 0)  // rounded up to a multiple of 256
        b.intermediate = (static_cast<int>(width) + 255) / 256 * 256;
    }
  }

  void keep() {
    if (f.lacksSizes()) return;
    const auto isUsual = [&](int i) {
      BlockVariant usual;
      usual.window = block(0).window, usual.windowIsChunk = block(0).windowIsChunk;
      usual.feed = a.hasExperts(i) ? Feed::Experts : Feed::Dense;
      return block(i) == usual;
    };
    bool alike = true;
    for (int i = 0; i < a.layers; ++i) alike = alike && isUsual(i);
    if (alike) {
      a.slidingWindow = block(0).window, a.windowIsChunk = block(0).windowIsChunk;
      return;
    }
    std::vector<BlockVariant> variants;
    for (const BlockVariant& b : m_blocks) {
      const auto known = std::find(variants.begin(), variants.end(), b);
      a.variantOf.push_back(static_cast<int>(known - variants.begin()));
      if (known == variants.end()) variants.push_back(b);
    }
    a.variants = std::move(variants);
  }

  const ConfigFamily& e;
  ConfigFields& f;
  TransformerArchitecture& a;
  std::vector<BlockVariant> m_blocks;
};

}  // namespace

void readBlocks(const ConfigFamily& family, ConfigFields& f, TransformerArchitecture& a) {
  Blocks(family, f, a).run();
}

int hybridLayers(ConfigFields& f) {
  const json* words = f.array("layers_block_type");
  return words ? static_cast<int>(words->size())
               : static_cast<int>(f.string("hybrid_override_pattern").size());
}

}  // namespace nest
