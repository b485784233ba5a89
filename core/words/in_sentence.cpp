#include "words/in_sentence.h"

#include <cctype>

namespace nest::words {

std::string inSentence(std::string heading) {
  const auto letter = [&](std::size_t i) { return static_cast<unsigned char>(heading[i]); };
  if (heading.size() > 1 && std::islower(letter(1))) heading[0] = static_cast<char>(std::tolower(letter(0)));
  return heading;
}

}  // namespace nest::words
