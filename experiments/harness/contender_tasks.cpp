#include "contender_tasks.hpp"

#include <stdexcept>

#include "time_budget.hpp"

namespace brickwork {
namespace {

// Work that is left undone from its first failure on, which is kept for later: the engine calls it and knows no
// failures.
template <class Work>
std::function<void()> until_lost(std::string& lost, Work work) {
  return [&lost, work] {
    if (!lost.empty()) return;
    try {
      work();
    } catch (const std::runtime_error& e) {
      lost = e.what();
    }
  };
}

}  // namespace

ContenderTasks contender_tasks(const std::string& name, const Checked& checked, int samples,
                               const std::function<void()>& evict, std::string& lost) {
  Prepared* const prepared = checked.prepared.get();
  ContenderTasks tasks{
      .run = {.name = name + "/run", .work = [prepared] { prepared->run(); }, .samples = samples, .evict = evict},
      .pack = {
          .name = name + "/pack", .work = [prepared] { prepared->pack(); }, .samples = kPackSamples, .evict = evict}};
  DeviceQueue* const queue = prepared->queue();
  if (queue == nullptr) return tasks;
  tasks.run.device_seconds = [&lost, replay = checked.replay.get()](std::int64_t calls) {
    double seconds = 3600;  // of a failure: so long that the engine asks for no more
    until_lost(lost, [&] { seconds = replay->seconds(calls); })();
    return seconds;
  };
  tasks.run.work = [seconds = tasks.run.device_seconds] { seconds(1); };
  if (evict) tasks.run.evict = until_lost(lost, [queue] { queue->displace_cache(); });
  tasks.pack.work = until_lost(lost, [prepared] { prepared->pack(); });
  return tasks;
}

}  // namespace brickwork
