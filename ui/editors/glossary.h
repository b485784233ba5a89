#pragma once

#include <QString>

namespace nest {

/// What a word of the program means, as a rich tooltip ("<b>microbatch</b> …"), with `more` HTML behind it.
/// Only that if the word is not in the glossary. Case and plural do not matter.
QString glossaryTip(const QString& word, const QString& more = {});

/// All words with their meanings, alphabetically, as rich text.
QString glossaryText();

}  // namespace nest
