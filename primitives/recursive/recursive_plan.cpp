#include "primitives/recursive/recursive_plan.hpp"

#include <algorithm>

#include "kernels/base/floats.hpp"
#include "primitives/recursive/body/recursive_geometry.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kUsualRows = 64;

}  // namespace

const SizeTable<RecursivePlan>& RecursivePlan::table() {
  using P = RecursivePlan;
  static const auto pass = [](std::string_view key, std::string_view column, std::int64_t P::*member) {
    return Size<P>{.key = key, .column = column, .member = member, .least = 0};
  };
  static const SizeTable<P> table{.kind = "recursive plan",
                                  .sizes = {{.key = "bk=", .column = "bk", .member = &P::bk},
                                            {.key = "rows=", .column = "rows", .member = &P::rows},
                                            pass("levels=", "levels", &P::levels),
                                            pass("leaves=", "leaves", &P::leaves),
                                            pass("hoist=", "hoist", &P::hoist),
                                            pass("fuse=", "fuse", &P::fuse),
                                            pass("dense=", "dense", &P::dense),
                                            pass("persist=", "persist", &P::persist),
                                            pass("few=", "few", &P::few),
                                            pass("subtrees=", "subtrees", &P::subtrees),
                                            pass("unroll=", "unroll", &P::unroll),
                                            pass("refactor=", "refactor", &P::refactor)},
                                  .words = {},
                                  .separator = ' ',
                                  .default_words = true};
  return table;
}

RecursivePlan parse_recursive_plan(std::string_view text) {
  const auto plan = parse_words<RecursivePlan>(text);
  check_sizes(plan, kMaxTensorElements, "2^40");
  for (const auto& size : RecursivePlan::table().sizes) {
    if (size.least == 0 && plan.*size.member > 1) {
      size_table::refuse("{} is {}: a pass is off (0) or on (1)", size_table::name_of(size.key), plan.*size.member);
    }
  }
  return plan;
}

std::string misfit(std::int64_t H, const RecursivePlan& plan) {
  if (plan.bk % kFloatsOfVector != 0) return fmt::format("bk must be a multiple of {}", kFloatsOfVector);
  if (plan.bk >= H + kFloatsOfVector) return fmt::format("bk must be at most H = {} rounded up", H);
  if (plan.subtrees + plan.unroll + plan.refactor > 1) return "only one of subtrees, unroll and refactor may be on";
  return {};
}

RecursivePlan plan_recursive(std::int64_t H, const MachineModel& machine) {
  // Equal shares of features for all threads, cut into blocks of one register tile.
  const std::int64_t share = ceil_div(H, machine.threads);
  return {.bk = whole_blocks(equal_block(share, machine.block()), kFloatsOfVector), .rows = kUsualRows};
}

RecursivePlan plan_recursive_on_gpu(std::int64_t H) {
  RecursivePlan plan;
  plan.bk = std::min(kFeaturesOfGpuTile, whole_blocks(H, kFloatsOfVector));
  plan.rows = kRowsOfGpuTile;
  plan.few = 0;
  return plan;
}

}  // namespace brickwork
