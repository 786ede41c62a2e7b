// The two tasks that are timed for a contender whose check was right: its runs and its packing.
#pragma once
#include <functional>
#include <string>

#include "baselines/contender/checker.hpp"
#include "experiments/harness/run/timing.hpp"

namespace brickwork {

struct ContenderTasks {
  TimedTask run, pack;
};

// `evict` empties the host's caches; it is null in a hot run. If a call fails, `lost` receives the reason, and the
// times of both tasks mean nothing. `lost` and the Checked outlive the tasks.
ContenderTasks contender_tasks(const std::string& name, const Checked&, int samples, const std::function<void()>& evict,
                               Lost& lost);

}  // namespace brickwork
