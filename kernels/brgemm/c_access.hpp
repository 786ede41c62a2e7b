// Where a brick's C lies.
#pragma once

namespace brickwork {

// Before and after a call.
enum class CAccess {
  cached,    // in the caches
  prefetch,  // beyond them, and the tile below in C comes next: its lines are asked for while this one's are computed
  stream,    // it will not be read again soon: it may be stored past the caches, where beta is 0 and C's rows are
             // aligned to vectors; that spares reading C's lines only to overwrite them. Other threads see it once
             // this one has called finish_stores(), as a league's task does
};

}  // namespace brickwork
