// Checks that a schedule computes everything once and after what it needs, for tests.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "primitives/recursive/structures/schedule.hpp"

namespace brickwork {

struct ScheduleOf {
  const Levels& levels;
  std::int32_t stages;
  std::int32_t threads;
  bool by_level = false;  // values between stages lie by place in the level, so that all levels use the same memory
};

class ScheduleCheck {
 public:
  explicit ScheduleCheck(const ScheduleOf& of)
      : of_(of), done_(static_cast<std::size_t>(of.levels.first_leaf * of.stages)) {}

  // A sentence about the first work that is wrong, in the order of the schedule.
  std::string first_violation(const std::vector<Phase>& phases) {
    for (phase_ = 0; phase_ < static_cast<std::int32_t>(phases.size()); ++phase_) {
      std::int32_t level = -1;
      for (const Work& work : phases[static_cast<std::size_t>(phase_)]) {
        std::string wrong = outside(work);
        if (wrong.empty() && of_.by_level) wrong = beside_another_level(work, level);
        for (std::int32_t node = work.nodes.begin; wrong.empty() && node < work.nodes.end; ++node) {
          wrong = compute(node, work);
        }
        if (!wrong.empty()) return fmt::format("phase {}: {}", phase_, wrong);
      }
    }
    for (std::int32_t node = 0; node < of_.levels.first_leaf; ++node) {
      for (std::int32_t stage = 0; stage < of_.stages; ++stage) {
        if (done(node, stage).phase < 0) return fmt::format("place {} is never computed in stage {}", node, stage);
      }
    }
    return "";
  }

 private:
  struct Done {
    std::int32_t phase = -1, owner = kShared;
  };
  Done& done(std::int32_t node, std::int32_t stage) {
    return done_[static_cast<std::size_t>(node * of_.stages + stage)];
  }

  std::string outside(const Work& work) const {
    const auto levels = static_cast<std::int32_t>(of_.levels.levels.size());
    if (work.level < 1 || work.level >= levels) return fmt::format("there is no level {} of inner nodes", work.level);
    if (work.stage < 0 || work.stage >= of_.stages) return fmt::format("there is no stage {}", work.stage);
    if (work.owner < kShared || work.owner >= of_.threads) return fmt::format("there is no thread {}", work.owner);
    const Level& level = of_.levels.levels[static_cast<std::size_t>(work.level)];
    if (level.begin <= work.nodes.begin && work.nodes.begin < work.nodes.end && work.nodes.end <= level.end) return "";
    return fmt::format("places {} to {} are no nodes of level {}", work.nodes.begin, work.nodes.end, work.level);
  }

  std::string beside_another_level(const Work& work, std::int32_t& level) {
    if (level >= 0 && work.level != level) return fmt::format("level {} is beside level {}", work.level, level);
    level = work.level;
    for (std::int32_t node = of_.levels.levels[static_cast<std::size_t>(level)].end; node < of_.levels.first_leaf;
         ++node)
      if (done(node, of_.stages - 1).phase < 0) return fmt::format("level {} begins before place {} ends", level, node);
    return "";
  }

  // Whether a stage of a node is over when the work begins: a meeting is in between, or one thread does both.
  bool is_over(std::int32_t node, std::int32_t stage, const Work& work) {
    const Done& at = done(node, stage);
    return at.phase >= 0 && (at.phase < phase_ || (at.owner == work.owner && work.owner != kShared));
  }
  std::string compute(std::int32_t node, const Work& work) {
    if (done(node, work.stage).phase >= 0) return fmt::format("place {} is again in stage {}", node, work.stage);
    if (work.stage > 0 && !is_over(node, work.stage - 1, work)) {
      return fmt::format("place {} is in stage {} before its stage {} ends", node, work.stage, work.stage - 1);
    }
    const auto& first_edge = of_.levels.first_edge;
    const auto place = static_cast<std::size_t>(node);
    for (std::int32_t edge = first_edge[place]; edge < first_edge[place + 1]; ++edge) {
      const std::int32_t child = of_.levels.child[static_cast<std::size_t>(edge)];
      if (child < of_.levels.first_leaf && !is_over(child, of_.stages - 1, work)) {
        return fmt::format("place {} begins before its child at place {} ends", node, child);
      }
    }
    done(node, work.stage) = {phase_, work.owner};
    return "";
  }

  const ScheduleOf of_;
  std::vector<Done> done_;  // [place of an inner node][stage]
  std::int32_t phase_ = 0;
};

// A sentence about the first work that is wrong; empty if the schedule is right.
inline std::string violations(const std::vector<Phase>& phases, const ScheduleOf& of) {
  return ScheduleCheck(of).first_violation(phases);
}

}  // namespace brickwork
