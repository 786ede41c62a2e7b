// For tests: binds all OpenMP threads to one hardware thread.
#pragma once
#include <sched.h>

namespace brickwork {

// While an object of this class lives, OpenMP's threads are bound to the first hardware thread of the process.
class BoundToOne {
 public:
  BoundToOne() {
    sched_getaffinity(0, sizeof before_, &before_);
    int first = 0;
    while (!CPU_ISSET(first, &before_)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    bind(one);
  }
  ~BoundToOne() { bind(before_); }

 private:
  static void bind(const cpu_set_t& set) {
#pragma omp parallel
    sched_setaffinity(0, sizeof set, &set);
  }

  cpu_set_t before_;
};

}  // namespace brickwork
