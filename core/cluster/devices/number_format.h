#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nest {

/// The format of a job's matrix products: its place in resources/number_formats.json. These are the ones that
/// code names; further entries of the file have the numbers behind them.
enum class NumberFormat : int { Bf16, Fp16, Fp8, Fp32 };

/// Which rate of a device products run at.
enum class ProductRate {
  Wide,  ///< of 16-bit formats
  Tf32,
  Fp8,
  Fp4,
};

struct NumberFormatSpec {
  std::string id;  ///< "mxfp8"
  ProductRate rate = ProductRate::Wide;
  double elementBytes = 2;      ///< of activations between products
  double operandBytes = 2;      ///< of an operand as products read it, scales included
  double furtherCastBytes = 0;  ///< read per element before a cast, beyond the cast itself
  std::string source;

  /// Operands are cast before products.
  bool isNarrow() const { return rate == ProductRate::Fp8 || rate == ProductRate::Fp4; }
};

/// All of them; a NumberFormat is an index. A test reads each entry: an error in one is a bug.
const std::vector<NumberFormatSpec>& numberFormats();
const NumberFormatSpec& specOf(NumberFormat);
const char* nameOf(NumberFormat);
std::vector<std::string> numberFormatNames();
/// nullopt: there is no format of this name.
std::optional<NumberFormat> numberFormatNamed(std::string_view);
/// "fp8": as messages call the rate.
const char* nameOf(ProductRate);

}  // namespace nest
