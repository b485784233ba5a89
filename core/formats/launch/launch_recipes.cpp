#include "formats/launch/launch_recipes.h"

#include <algorithm>
#include <cmath>

namespace nest {
namespace {

constexpr LaunchRecipe kRecipes[] = {
    {"llama", 6.74, 4096, "llama2_7b_pretrain_2gpu_h100_bf16_config", "llama2_7b"},
    {"llama", 1.24, 131072, "llama32_1b_pretrain_1gpu_h100_bf16_config", "llama32_1b"},
    {"llama", 3.21, 131072, "llama32_3b_pretrain_1gpu_h100_bf16_config", "llama32_3b"},
    {"llama", 8.03, 8192, "llama3_8b_pretrain_2gpu_h100_bf16_config", "llama3_8b"},
    {"llama", 8.03, 131072, "llama31_8b_pretrain_2gpu_h100_bf16_config", "llama31_8b"},
    {"llama", 70.6, 8192, "llama3_70b_pretrain_32gpu_h100_bf16_config", "llama3_70b"},
    {"llama", 70.6, 131072, "llama31_70b_pretrain_32gpu_h100_bf16_config", "llama31_70b"},
    {"llama", 406, 131072, "llama31_405b_pretrain_256gpu_h100_bf16_config", "llama31_405b"},
    {"qwen2", 0.49, 131072, "qwen2_500m_pretrain_1gpu_h100_bf16_config", "qwen2_500m"},
    {"qwen2", 1.54, 131072, "qwen2_1p5b_pretrain_1gpu_h100_bf16_config", "qwen2_1p5b"},
    {"qwen2", 7.62, 131072, "qwen2_7b_pretrain_2gpu_h100_bf16_config", "qwen2_7b"},
    {"qwen2", 14.8, 131072, "qwen25_14b_pretrain_4gpu_h100_bf16_config", "qwen25_14b"},
    {"qwen2", 32.8, 131072, "qwen25_32b_pretrain_16gpu_h100_bf16_config", "qwen25_32b"},
    {"qwen2", 72.7, 131072, "qwen2_72b_pretrain_32gpu_h100_bf16_config", "qwen2_72b"},
    {"qwen3", 0.6, 40960, "qwen3_600m_pretrain_1gpu_h100_bf16_config", "qwen3_600m"},
    {"qwen3", 1.72, 40960, "qwen3_1p7b_pretrain_1gpu_h100_bf16_config", "qwen3_1p7b"},
    {"qwen3", 4.02, 40960, "qwen3_4b_pretrain_2gpu_h100_bf16_config", "qwen3_4b"},
    {"qwen3", 8.19, 40960, "qwen3_8b_pretrain_4gpu_h100_bf16_config", "qwen3_8b"},
    {"qwen3", 14.8, 40960, "qwen3_14b_pretrain_8gpu_h100_bf16_config", "qwen3_14b"},
    {"qwen3", 32.8, 40960, "qwen3_32b_pretrain_16gpu_h100_bf16_config", "qwen3_32b"},
    {"qwen3_moe", 30.5, 40960, "qwen3_30b_a3b_pretrain_8gpu_h100_bf16_config", "qwen3_30b_a3b", true},
    {"qwen3_moe", 235, 40960, "qwen3_235b_a22b_pretrain_256gpu_h100_bf16_config", "qwen3_235b_a22b", true},
    {"mixtral", 46.7, 32768, nullptr, "mixtral_8x7b", true},
    {"mixtral", 141, 65536, nullptr, "mixtral_8x22b", true},
    {"mistral", 7.25, 32768, nullptr, "mistral_7b"},
    {"gpt_oss", 20.9, 131072, "gpt_oss_20b_pretrain_16gpu_h100_bf16_config", nullptr, true},
    {"gpt_oss", 117, 131072, "gpt_oss_120b_pretrain_64gpu_h100_bf16_config", nullptr, true},
    {"deepseek_v2", 15.7, 163840, "deepseek_v2_lite_pretrain_8gpu_h100_bf16_config", "deepseek_v2_lite",
     true},
    {"deepseek_v2", 236, 163840, "deepseek_v2_pretrain_128gpu_h100_bf16_config", "deepseek_v2", true},
    {"deepseek_v3", 16, 8192, "moonlight_16b_pretrain_8gpu_h100_bf16_config", "deepseek_v3", true},
    {"deepseek_v3", 671, 163840, "deepseek_v3_pretrain_1024gpu_h100_bf16_config", "deepseek_v3", true},
    {"deepseek_v3", 1026, 131072, "kimi_k2_pretrain_512gpu_h100_bf16_config", "deepseek_v3", true},
    {"nemotron", 4.19, 4096, nullptr, "nemotron3_4b"},
    {"nemotron", 8.54, 4096, nullptr, "nemotron3_8b"},
    {"nemotron", 15.6, 4096, nullptr, "nemotron4_15b"},
    {"nemotron", 21.3, 4096, nullptr, "nemotron3_22b"},
    {"nemotron", 341, 4096, nullptr, "nemotron4_340b"},
    {"gpt2", 175, 2048, "gpt3_175b_pretrain_32gpu_h100_bf16_config", "gpt3_175b"},
    {"gemma", 2.51, 8192, nullptr, "gemma_2b"},
    {"gemma", 8.54, 8192, nullptr, "gemma_7b"},
    {"gemma2", 2.61, 8192, "gemma2_2b_pretrain_2gpu_h100_bf16_config", "gemma2_2b"},
    {"gemma2", 9.24, 8192, "gemma2_9b_pretrain_8gpu_h100_bf16_config", "gemma2_9b"},
    {"gemma2", 27.2, 8192, "gemma2_27b_pretrain_16gpu_h100_bf16_config", "gemma2_27b"},
    {"gemma3_text", 1, 32768, "gemma3_1b_pretrain_1gpu_h100_bf16_config", "gemma3_1b"},
    {"glm4_moe", 107, 131072, "glm45_air_106b_pretrain_32gpu_h100_bf16_config", nullptr, true},
    {"glm4_moe", 353, 131072, "glm45_355b_pretrain_128gpu_h100_bf16_config", nullptr, true},
    {"olmoe", 6.92, 4096, "olmoe_7b_pretrain_8gpu_h100_bf16_config", nullptr, true},
};

constexpr double kEqual = 0.02;  ///< of one model in two releases

double apart(double x, double y) {
  return std::abs(std::log(x / y));
}

}  // namespace

bool LaunchRecipe::isOf(const TransformerArchitecture& a) const {
  return apart(parameterCount(a) / 1e9, billions) < kEqual && a.maxPositions == positions;
}

const LaunchRecipe* recipeOf(const TransformerArchitecture* a) {
  if (!a) return nullptr;
  const double billions = parameterCount(*a) / 1e9, positions = std::max(1, a->maxPositions);
  const LaunchRecipe* best = nullptr;
  for (const LaunchRecipe& r : kRecipes) {
    if (a->family != r.family || a->experts.has_value() != r.experts) continue;
    const double size = apart(billions, r.billions), before = best ? apart(billions, best->billions) : 0;
    const bool isNearer =
        !best || size < before - kEqual ||
        (size < before + kEqual && apart(positions, r.positions) < apart(positions, best->positions));
    if (isNearer) best = &r;
  }
  return best;
}

}  // namespace nest
