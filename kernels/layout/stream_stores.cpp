#include "kernels/layout/stream_stores.hpp"

#include "hwy/cache_control.h"

namespace brickwork {

void stream_stores::fence() { hwy::FlushStream(); }

}  // namespace brickwork
