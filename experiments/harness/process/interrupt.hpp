// Ctrl-C ends the run with what is measured so far written; a second one ends it at once.
#pragma once

namespace brickwork {

void catch_interrupts();
bool interrupted();

}  // namespace brickwork
