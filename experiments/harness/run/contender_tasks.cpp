#include "experiments/harness/run/contender_tasks.hpp"

#include "experiments/harness/run/time_budget.hpp"

namespace brickwork {
ContenderTasks contender_tasks(const std::string& name, const Checked& checked, int samples,
                               const std::function<void()>& evict, Lost& lost) {
  Prepared* const prepared = checked.prepared.get();
  ContenderTasks tasks{
      .run = {.name = name + "/run", .work = [prepared] { prepared->run(); }, .samples = samples, .evict = evict},
      .pack = {
          .name = name + "/pack", .work = [prepared] { prepared->pack(); }, .samples = kPackSamples, .evict = evict}};
  tasks.run.lost = tasks.pack.lost = &lost;
  DeviceQueue* const queue = prepared->queue();
  if (queue == nullptr) return tasks;
  tasks.run.device_seconds = [replay = checked.replay.get()](std::int64_t calls) { return replay->seconds(calls); };
  tasks.run.work = [replay = checked.replay.get()] { replay->seconds(1); };
  if (evict) tasks.run.evict = [queue] { queue->displace_cache(); };
  return tasks;
}

}  // namespace brickwork
