#include "primitives/recursive/body/recursive_steps.hpp"

namespace brickwork {
namespace {

std::int32_t count(const Stages& stages) { return static_cast<std::int32_t>(stages.size()); }

class StepsBuilder {
 public:
  StepsBuilder(const Program& program, const Levels& levels, bool batches)
      : program_(program), levels_(levels), batches_(batches) {}

  StepsOfRun steps;

  void before() {
    for (std::int32_t s = 0; s < count(program_.before); ++s) {
      const Level all{0, levels_.nodes};
      add_phase({{s, all, all, kShared}});
    }
  }
  void leaves() {
    const Level all{levels_.first_leaf, levels_.nodes};
    for (std::int32_t s = 0; s < count(program_.leaves); ++s) {
      add_by_node({{count(program_.before) + s, all, all, kShared}});
    }
  }
  void inner(const Phase& phase) {
    const std::int32_t first = count(program_.before) + count(program_.leaves);
    std::vector<Step> all;
    for (const Work& work : phase) {
      all.push_back({first + work.stage, work.nodes, levels_.levels[static_cast<std::size_t>(work.level)], work.owner});
    }
    add_by_node(all);
  }

 private:
  void add_by_node(const std::vector<Step>& phase) {
    if (batches_) return add_phase(phase);
    for (const Step& step : phase) {
      for (std::int32_t n = step.nodes.begin; n < step.nodes.end; ++n) {
        add_phase({{step.stage, {n, n + 1}, step.level, kShared}});
      }
    }
  }
  void add_phase(const std::vector<Step>& phase) {
    steps.phases.push_back({static_cast<std::int32_t>(steps.steps.size()), static_cast<std::int32_t>(phase.size())});
    steps.steps.insert(steps.steps.end(), phase.begin(), phase.end());
  }

  const Program& program_;
  const Levels& levels_;
  const bool batches_;
};

}  // namespace

StepsOfRun forward_steps(const Program& program, const Levels& levels, StructureKind kind, Division division,
                         bool batches, std::int32_t threads) {
  StepsBuilder build(program, levels, batches);
  build.before();
  build.leaves();
  for (const Phase& phase : schedule(levels, kind, division, count(program.inner), threads)) build.inner(phase);
  return build.steps;
}

// From the highest level down; each level's stages in order.
StepsOfRun backward_steps(const Program& program, const Levels& levels, bool batches) {
  StepsBuilder build(program, levels, batches);
  for (auto level = static_cast<std::int32_t>(levels.levels.size()); level-- > 1;) {
    for (std::int32_t s = 0; s < count(program.inner); ++s) {
      build.inner({{level, s, levels.levels[static_cast<std::size_t>(level)], kShared}});
    }
  }
  build.leaves();
  return build.steps;
}

}  // namespace brickwork
