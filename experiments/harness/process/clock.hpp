// The clock of a run: seconds since some fixed moment. A test uses a clock of its own.
#pragma once
#include <chrono>
#include <functional>

namespace brickwork {

using RunClock = std::function<double()>;

inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace brickwork
