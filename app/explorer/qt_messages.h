#pragma once

namespace nest {

/// Takes what Qt says. Qt ends the program with an abort where it finds no display: until displayIsOpen()
/// that becomes a sentence and exit code 2.
void takeQtMessages();
/// To be called once the application object is made.
void displayIsOpen();

}  // namespace nest
