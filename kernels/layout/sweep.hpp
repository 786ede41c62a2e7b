// How a memory-bound operation reads and writes its tensors.
#pragma once
#include <string_view>

namespace brickwork {

enum class Sweep {
  cached,    // the tensors are in the caches
  stream,    // no cache holds the tensors: outputs are stored past the caches, which saves reading their lines only to
             // overwrite them; inputs that the hardware would fetch too late are prefetched far ahead into L1
  stream_l2  // as stream, but prefetched into L2
};
constexpr std::string_view kSweeps[] = {"cached", "stream", "stream-l2"};  // indexed by Sweep

constexpr bool past_caches(Sweep sweep) { return sweep != Sweep::cached; }

}  // namespace brickwork
