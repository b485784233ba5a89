#pragma once

namespace nest {

/// Takes what Qt says. Qt ends the program with an abort where it finds no display: until the application
/// object stands that becomes a sentence and exit code 2.
void takeQtMessages();

}  // namespace nest
