#pragma once

#include <string_view>
#include <vector>

#include "analytic/transformer.h"
#include "formats/models/config_fields.h"

namespace nest {

/// A yes or no that stands under a key, or holds for all models of a family (no key).
struct FamilyFlag {
  bool byDefault = false;
  const char* key = nullptr;
};

/// Sizes of a configuration class; they count only where a part of a larger model leaves them out. 0: none.
struct FamilySizes {
  int vocabulary = 0, hidden = 0, intermediate = 0, layers = 0, heads = 0;
  int keyValueHeads = 0;  ///< 0: as many as heads
};

enum class FamilyNorm { Rms, Layer, LayerWithoutBias };
enum class QueryKeyNorm { No, PerHead, Whole };

/// Which blocks of a model differ, and where its file says so.
enum class BlockPattern {
  Uniform,
  Window,        ///< sliding_window holds for all blocks, or for those that layer_types lists
  WindowIfUsed,  ///< the same from max_window_layers on, and only with use_sliding_window
  WindowPeriod,  ///< all but every n-th block have the window
  ChunkPeriod,   ///< all but every n-th block attend inside chunks
  DeltaPeriod,   ///< all but every n-th block have linear attention
  LocalGlobal,   ///< attention_types (GPT-Neo)
  Hybrid,        ///< one letter or word per layer, each a mixer or an MLP (Nemotron-H)
  MixerTypes,    ///< layer_types of mixers, an MLP in each block (Granite 4)
  StateOnly,     ///< no attention at all (Mamba)
  Jamba,         ///< attn_layer_period and expert_layer_period
  MiMo,          ///< hybrid_layer_pattern, with heads of its own for windows
  BlockConfigs,  ///< block_configs: heads and width block by block (Nemotron NAS)
  Convolution,   ///< layer_types of attention and short convolutions (LFM2)
  KimiDelta,     ///< linear_attn_config lists the layers of either kind (Kimi Linear)
  Shortcut,      ///< two blocks a layer, the first with experts (LongCat-Flash)
};

enum class SharedExperts {
  None,
  Width,     ///< a key gives their width in all
  Count,     ///< a key gives how many of the width of one expert
  One,       ///< one of the width of one expert
  DenseMlp,  ///< the dense MLP runs beside the experts
};

struct FamilyExperts {
  int count = 0, perToken = 0, width = 0;  ///< of the class; as FamilySizes
  bool ownWidth = true;                    ///< false: intermediate_size is the width of an expert
  bool mayHaveWidth = false;               ///< but where a file gives experts a width of their own
  SharedExperts shared = SharedExperts::None;
  int sharedDefault = 0;
  bool sharedGate = false;
  int firstDense = 0;
  bool isOptional = false;  ///< models of the family without experts exist
  bool routerBias = false;
  const char* period = nullptr;    ///< key of the step between blocks with experts
  const char* residual = nullptr;  ///< flag that runs the dense MLP beside the experts
  const char* denseWidth =
      nullptr;  ///< key of the dense blocks' width, where intermediate_size is the experts'
};

/// How the configurations of one model type are read: what its blocks are made of, and what its files may
/// leave out. Adding a family is adding an entry.
struct ConfigFamily {
  const char* type;            ///< model_type
  const char* className = "";  ///< of "architectures", without what it is for: "Llama" of "LlamaForCausalLM"
  const char* like = nullptr;  ///< the family whose shape it has, where it is another's
  FamilySizes sizes = {};
  int positions = 2048;
  int headDim = 0;  ///< of the class; 0: hidden ÷ heads
  FamilyFlag tied = {};
  bool gated = true;
  int intermediateFactor = 0;  ///< × hidden where the file gives no width; 0: it has to
  FamilyNorm norm = FamilyNorm::Rms;
  int blockNorms = 2;
  FamilyFlag parallel = {};
  FamilyFlag attentionBias = {}, outputBias = {}, projectionBias = {};
  QueryKeyNorm queryKeyNorm = QueryKeyNorm::No;
  const char* queryKeyNormKey = nullptr;  ///< a flag that switches it
  BlockPattern pattern = BlockPattern::Uniform;
  int window = 0, period = 0;             ///< of the class
  FamilyExperts experts = {.count = -1};  ///< count −1: the family has none
  bool latent = false;                    ///< multi-head latent attention
  bool learnedPositions = false, embeddingNorm = false;
  FamilyFlag headBias = {};
  bool attentionGate = false, sinks = false, clampedGate = false;
  bool scaledRotary = false;    ///< of the class
  bool withoutDropout = false;  ///< of families with LayerNorm
  bool images = false;          ///< reads patches of images and tells a label
  void (*more)(ConfigFields&, TransformerArchitecture&) = nullptr;  ///< what no other family has

  const char* shownAs() const { return like ? like : type; }
  bool hasExperts() const { return experts.count >= 0; }
};

const std::vector<ConfigFamily>& configFamilies();
const ConfigFamily* familyOfType(std::string_view modelType);
const ConfigFamily* familyOfClass(std::string_view className);
/// From a key that only one family's files have ("n_embd", "kv_lora_rank"); for old files that name no type.
const ConfigFamily* familyOfKeys(JsonFields&);

/// Reads the sizes and blocks of a model; errors go to the fields' diagnostics.
void readFamily(const ConfigFamily&, ConfigFields&, TransformerArchitecture&);

/// Reads what changes neither sizes nor costs; keys that are absent or of another kind are left out.
void readDetails(ConfigFields&, TransformerArchitecture&);

/// What a model is that has no family here by the keys of its file ("a state-space model"); null: not known.
const char* natureOf(const nlohmann::json& object);

}  // namespace nest
