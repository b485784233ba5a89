#include "formats/models/hf_family_lists.h"

#include <iterator>
#include <string>

namespace nest {
namespace {

void readEncoder(ConfigFields& f, TransformerArchitecture& a) {
  EncoderStack e;
  f.isGiven({"is_encoder_decoder"});
  const int heads = f.optional({"encoder_attention_heads"}, a.heads, 1, kMostWidth);
  if (heads != a.heads)
    f.fields().report(Severity::Error, "config-not-modelled", "encoder_attention_heads",
                      "an encoder with other heads than the decoder is not modelled");
  e.layers = f.size({"encoder_layers"}, 0, 1, kMostLayers);
  e.intermediate = f.size({"encoder_ffn_dim"}, 0, 1, kMostWidth * 8);
  a.layers = f.optional({"decoder_layers"}, a.layers, 1, kMostLayers);
  a.encoder = e;
}

void opt(ConfigFields& f, TransformerArchitecture& a) {
  a.positionRows = a.maxPositions + 2;
  const int width = f.optional({"word_embed_proj_dim"}, a.hidden, 1, kMostWidth);
  a.embeddingWidth = width == a.hidden ? 0 : width;
  a.finalNorm = f.flag({"do_layer_norm_before"}, true) && !f.flag({"_remove_final_layer_norm"}, false);
}

void bert(ConfigFields& f, TransformerArchitecture& a) {
  a.causal = f.flag({"is_decoder"}, false);
  a.pooler = true;
  a.finalNorm = false;
  a.tokenTypes = f.shape({"type_vocab_size"}, 2, 0, kMostTokens);
}

/// One key-value head for all queries, unless the newer architecture of the family says how many.
void multiQuery(ConfigFields& f, TransformerArchitecture& a) {
  const bool isNewer = f.flag({"new_decoder_architecture"}, false);
  if (isNewer)
    a.blockNorms = f.optional({"num_ln_in_parallel_attn"}, 2, 1, 2);
  else
    a.keyValueHeads = f.flag({"multi_query"}, true) ? 1 : a.heads;
}

void mpt(ConfigFields& f, TransformerArchitecture& a) {
  a.intermediate = f.optional({"expansion_ratio"}, 4, 1, 64) * a.hidden;
  const bool hasBias = !f.flag({"no_bias"}, true);
  a.attentionBias = a.projectionBias = a.normBias = hasBias;
}

void vit(ConfigFields& f, TransformerArchitecture& a) {
  const int side = f.optional({"image_size"}, 224, 1, 1 << 16),
            patch = f.optional({"patch_size"}, 16, 1, 1 << 12);
  a.patchInputs = f.optional({"num_channels"}, 3, 1, 1024) * patch * patch;
  a.causal = false;
  a.headBias = true;
  a.maxPositions = (side / patch) * (side / patch) + 1;
  a.positionRows = a.maxPositions + 1;  // the class token has a row of its own
}

void t5(ConfigFields& f, TransformerArchitecture& a) {
  f.isGiven({"is_encoder_decoder"});
  const std::string projection = f.string("feed_forward_proj");
  a.gatedMlp = projection.starts_with("gated") || f.flag({"is_gated_act"}, false);
  a.encoder = EncoderStack{a.layers, a.intermediate};
  a.layers = f.optional({"num_decoder_layers"}, a.layers, 1, kMostLayers);
}

void bart(ConfigFields& f, TransformerArchitecture& a) {
  readEncoder(f, a);
  a.positionRows = a.encoder->positionRows = a.maxPositions + 2;
  a.finalNorm = f.string("model_type") != "bart" || f.flag({"normalize_before"}, false);
}

/// The encoder reads spectra through two convolutions of three taps, the second of which halves their length.
void whisper(ConfigFields& f, TransformerArchitecture& a) {
  readEncoder(f, a);
  a.maxPositions = a.positionRows = f.optional({"max_target_positions"}, 448, 1, kMostTokens);
  a.encoder->length = a.encoder->positionRows = f.optional({"max_source_positions"}, 1500, 1, kMostTokens);
  a.encoder->patchInputs = 3 * f.optional({"num_mel_bins"}, 80, 1, 4096) + 3 * a.hidden + 1;
}

const ConfigFamily bertLike = {.type = "bert",
                               .className = "Bert",
                               .sizes = {30522, 768, 3072, 12, 12},
                               .positions = 512,
                               .tied = kYes,
                               .gated = false,
                               .norm = kLayer,
                               .attentionBias = kYes,
                               .projectionBias = kYes,
                               .learnedPositions = true,
                               .embeddingNorm = true,
                               .more = bert};

const ConfigFamily cohere = {.type = "cohere",
                             .className = "Cohere",
                             .positions = 8192,
                             .tied = kYes,
                             .norm = kLayerWithoutBias,
                             .blockNorms = 1,
                             .parallel = kYes,
                             .attentionBias = kAttentionBias,
                             .outputBias = kAttentionBias,
                             .queryKeyNorm = kWhole,
                             .queryKeyNormKey = "use_qk_norm",
                             .withoutDropout = true};

}  // namespace

void addOlderFamilies(std::vector<ConfigFamily>& all) {
  const ConfigFamily families[] = {
      {.type = "gpt2",
       .className = "GPT2",
       .sizes = {50257, 768, 0, 12, 12},
       .positions = 1024,
       .tied = kYes,
       .gated = false,
       .intermediateFactor = 4,
       .norm = kLayer,
       .attentionBias = kYes,
       .projectionBias = kYes,
       .learnedPositions = true},
      {.type = "gpt_neox",
       .className = "GPTNeoX",
       .sizes = {50432, 6144, 24576, 44, 64},
       .gated = false,
       .norm = kLayer,
       .attentionBias = {true, "attention_bias"},
       .outputBias = {true, "attention_bias"},
       .projectionBias = kYes},
      {.type = "opt",
       .className = "OPT",
       .sizes = {50272, 768, 3072, 12, 12},
       .tied = kYes,
       .gated = false,
       .norm = kLayer,
       .attentionBias = {true, "enable_bias"},
       .projectionBias = {true, "enable_bias"},
       .learnedPositions = true,
       .more = opt},
      bertLike,
      cohere,
      with(like(cohere, "cohere2", "Cohere2", true),
           [](ConfigFamily& f) {
             f.queryKeyNorm = QueryKeyNorm::No, f.queryKeyNormKey = nullptr;
             f.pattern = BlockPattern::WindowPeriod, f.window = 4096, f.period = 4;
           }),
      {.type = "nemotron",
       .className = "Nemotron",
       .gated = false,
       .norm = kLayer,
       .attentionBias = kAttentionBias,
       .outputBias = kAttentionBias,
       .projectionBias = kMlpBias,
       .withoutDropout = true},
      {.type = "starcoder2",
       .className = "Starcoder2",
       .tied = kYes,
       .gated = false,
       .norm = kLayer,
       .attentionBias = {true, "use_bias"},
       .projectionBias = {true, "use_bias"},
       .pattern = BlockPattern::Window,
       .withoutDropout = true},
      {.type = "phi",
       .className = "Phi",
       .gated = false,
       .intermediateFactor = 4,
       .norm = kLayer,
       .blockNorms = 1,
       .parallel = kYes,
       .attentionBias = kYes,
       .projectionBias = kYes,
       .headBias = kYes,
       .withoutDropout = true},
      {.type = "stablelm",
       .className = "StableLm",
       .norm = kLayer,
       .parallel = {false, "use_parallel_residual"},
       .attentionBias = {false, "use_qkv_bias"},
       .queryKeyNorm = kWhole,
       .queryKeyNormKey = "qk_layernorm",
       .withoutDropout = true},
      {.type = "falcon",
       .className = "Falcon",
       .tied = kYes,
       .gated = false,
       .intermediateFactor = 4,
       .norm = kLayer,
       .parallel = {true, "parallel_attn"},
       .attentionBias = {false, "bias"},
       .projectionBias = {false, "bias"},
       .withoutDropout = true,
       .more = multiQuery},
      {.type = "gpt_bigcode",
       .className = "GPTBigCode",
       .positions = 8192,
       .tied = kYes,
       .gated = false,
       .intermediateFactor = 4,
       .norm = kLayer,
       .attentionBias = kYes,
       .projectionBias = kYes,
       .learnedPositions = true,
       .more = multiQuery},
      {.type = "mpt",
       .className = "MPT",
       .tied = kYes,
       .gated = false,
       .intermediateFactor = 4,
       .norm = kLayerWithoutBias,
       .withoutDropout = true,
       .more = mpt},
      {.type = "bloom",
       .className = "Bloom",
       .tied = kYes,
       .gated = false,
       .intermediateFactor = 4,
       .norm = kLayer,
       .attentionBias = kYes,
       .projectionBias = kYes,
       .embeddingNorm = true},
      {.type = "gptj",
       .className = "GPTJ",
       .gated = false,
       .intermediateFactor = 4,
       .norm = kLayer,
       .blockNorms = 1,
       .parallel = kYes,
       .projectionBias = kYes,
       .headBias = kYes},
      {.type = "gpt_neo",
       .className = "GPTNeo",
       .tied = kYes,
       .gated = false,
       .intermediateFactor = 4,
       .norm = kLayer,
       .projectionBias = kYes,
       .pattern = BlockPattern::LocalGlobal,
       .learnedPositions = true},
      {.type = "t5",
       .className = "T5",
       .sizes = {32128, 512, 2048, 6, 8},
       .positions = 512,
       .tied = kYes,
       .gated = false,
       .more = t5},
      {.type = "bart",
       .className = "Bart",
       .positions = 1024,
       .tied = kYes,
       .gated = false,
       .norm = kLayer,
       .attentionBias = kYes,
       .projectionBias = kYes,
       .learnedPositions = true,
       .embeddingNorm = true,
       .more = bart},
      {.type = "whisper",
       .className = "Whisper",
       .positions = 448,
       .tied = kYes,
       .gated = false,
       .norm = kLayer,
       .attentionBias = kYes,
       .projectionBias = kYes,
       .learnedPositions = true,
       .more = whisper},
      {.type = "vit",
       .className = "ViT",
       .gated = false,
       .norm = kLayer,
       .attentionBias = kYes,
       .projectionBias = kYes,
       .learnedPositions = true,
       .images = true,
       .more = vit},
      like(bertLike, "camembert", "Camembert"),
      like(bertLike, "roberta", "Roberta"),
      like(bertLike, "xlm-roberta", "XLMRoberta"),
  };
  all.insert(all.end(), std::begin(families), std::end(families));
}

}  // namespace nest
