// What is timed of a contender that was found right: its runs and its packing.
#pragma once
#include <functional>
#include <string>

#include "baselines/contender/checker.hpp"
#include "experiments/harness/run/timing.hpp"

namespace brickwork {

struct ContenderTasks {
  TimedTask run, pack;
};

// `evict` empties the host's caches; none in a hot run. Where it fails in the middle, `lost` says why: then the times
// of both tasks mean nothing. Both that and what was checked outlive the tasks.
ContenderTasks contender_tasks(const std::string& name, const Checked&, int samples, const std::function<void()>& evict,
                               Lost& lost);

}  // namespace brickwork
