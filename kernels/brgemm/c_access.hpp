// How a brick reaches its C: through the caches or past them.
#pragma once

namespace brickwork {

// The place of C before and after a call.
enum class CAccess {
  cached,    // in the caches
  prefetch,  // beyond the caches, and the next tile of C lies below this one: its lines are prefetched during this tile
  stream,    // not read again soon: stored past the caches if beta is 0 and the rows of C are aligned to vectors. This
             // saves reading lines of C only to overwrite them. Other threads see C after this thread has called
             // finish_stores(), as the tasks of a league do
};

}  // namespace brickwork
