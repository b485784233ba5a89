#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analytic/transformer.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// Reads a Hugging Face config.json: llama, mistral, mixtral, qwen2, qwen3, qwen2_moe, qwen3_moe, gpt2,
/// gpt_neox, opt, bert, deepseek_v2, deepseek_v3. Absent keys get the defaults of the `transformers`
/// configuration class; a note lists those that shape the model. `name` is the file's _name_or_path, or the
/// family.
Reading<TransformerArchitecture> readHuggingFaceConfig(std::string_view text, const std::string& file);

/// The model types that readHuggingFaceConfig knows, for help and messages.
std::vector<std::string> knownModelTypes();

}  // namespace nest
