// Ctrl-C (SIGINT) or SIGTERM ends a run after writing what was measured so far; a second one ends it at once.
#pragma once

namespace brickwork {

void catch_interrupts();
bool interrupted();

}  // namespace brickwork
