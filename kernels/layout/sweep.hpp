// How an operation goes over tensors with which it has so little to do that its time is that of the memory.
#pragma once
#include <string_view>

namespace brickwork {

enum class Sweep {
  cached,    // they are in the caches
  stream,    // no cache holds them: outputs are stored past the caches, which spares reading their lines only to
             // overwrite them, and what the hardware would bring too late is asked for far ahead, into L1
  stream_l2  // likewise, into L2
};
constexpr std::string_view kSweeps[] = {"cached", "stream", "stream-l2"};  // by their numbers

constexpr bool past_caches(Sweep sweep) { return sweep != Sweep::cached; }

}  // namespace brickwork
