#pragma once

#include <QString>

namespace nest {

/// What a word of the program means, as rich text for a tooltip: "<b>microbatch</b> …". Empty if the word is
/// not in the glossary. Case and plural do not matter.
QString glossaryTip(const QString& word);

/// All words with their meanings, alphabetically, as rich text.
QString glossaryText();

}  // namespace nest
