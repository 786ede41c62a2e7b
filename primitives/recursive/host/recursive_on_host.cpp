#include "primitives/recursive/host/recursive_on_host.hpp"

#include <algorithm>
#include <stdexcept>

#include "primitives/nest/one_region.hpp"

namespace brickwork {
namespace {

// Features of an operand in one member of a brick call.
constexpr std::int64_t kFeaturesOfMember = 128;
constexpr std::int64_t kRowsOfPiece = 8;
constexpr std::int64_t kMostChildren = 64;

enum { kBefore, kInner, kLeaves };

bool has_matrices(const Cell& cell) {
  return std::ranges::any_of(cell.states(), [](const auto& state) { return state.matrix; });
}

std::int64_t most_children(const RecursiveWork& work) {
  if (work.most_children > 0) return work.most_children;
  return work.cell->most_children() > 0 ? work.cell->most_children() : kMostChildren;
}

RecursiveGeometry geometry(const RecursiveWork& work, const RecursivePlan& plan) {
  const std::int64_t H = work.H, children = most_children(work);
  const bool matrices = has_matrices(*work.cell);
  RecursiveGeometry g{.H = H,
                      .bk = plan.bk,
                      .blocks = ceil_div(H, plan.bk),
                      .kb = matrices ? H : equal_block(H, kFeaturesOfMember),
                      .rows_of_call = plan.rows,
                      .rows_of_piece = kRowsOfPiece,
                      .most_children = children};
  g.members = ceil_div(H, g.kb);
  g.rows = std::max(plan.rows, children * (matrices ? H : 1));
  return g;
}

}  // namespace

RecursiveOnHost::RecursiveOnHost(const RecursiveWork& work, const RecursivePlan& plan, Backend backend, Isa isa,
                                 const SimdTuning& tuning)
    : cell_(*work.cell),
      plan_(plan),
      use_(work.use),
      lowered_(lower(cell_, plan.passes(), work.use == RecursiveUse::training)),
      g_(geometry(work, plan)),
      linearizer_(static_cast<std::int32_t>(g_.most_children), cell_.positions()),
      arrays_(lowered_.forward.arrays, work.H, plan.dense != 0),
      updates_(lowered_.backward, static_cast<int>(cell_.weights().size()), static_cast<int>(cell_.biases().size()), g_,
               backend, isa, tuning) {
  std::vector<const Stages*> all;
  for (const Program* program : {&lowered_.forward, &lowered_.backward}) {
    for (const Stages* stages : {&program->before, &program->inner, &program->leaves}) all.push_back(stages);
  }
  const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  for (int thread = 0; thread < threads; ++thread) scratch_.emplace_back(all, g_);
}

std::string RecursiveOnHost::make_bricks(Backend backend, Isa isa, const SimdTuning& tuning) {
  const auto made = [&](BrgemmKernelPtr& to, const BrgemmShape& shape) -> std::string {
    auto kernel = make_brgemm(shape, {.tuning = tuning}, backend, isa);
    if (!kernel) return kernel.reason();
    to = *std::move(kernel);
    return {};
  };
  const int bk = static_cast<int>(g_.bk), kb = static_cast<int>(g_.kb);
  BrgemmShape shape{.m = static_cast<int>(g_.rows_of_call), .n = bk, .k = kb, .lda = kb, .ldb = bk, .ldc = bk};
  shape.batch_kind = BatchKind::offsets;
  if (auto why = made(bricks_.weights, shape); !why.empty() || !has_matrices(cell_)) return why;
  const std::int64_t H = g_.H;
  const int last = static_cast<int>(H - (g_.blocks - 1) * g_.bk);
  const auto by_matrix = [&](int n) { return BrgemmShape{.m = 1, .n = n, .k = kb, .lda = kb, .ldb = H, .ldc = bk}; };
  for (const auto& why :
       {made(bricks_.matrix, by_matrix(g_.blocks > 1 ? bk : last)), made(bricks_.last_matrix, by_matrix(last)),
        made(bricks_.matrix_transposed,
             {.m = static_cast<int>(std::min<std::int64_t>(bk, H)), .n = 1, .k = kb, .lda = H, .ldb = 1, .ldc = 1})}) {
    if (!why.empty()) return why;
  }
  return {};
}

Result<std::unique_ptr<RecursiveOnHost>> RecursiveOnHost::make(const RecursiveWork& work, const RecursivePlan& plan,
                                                               Backend backend, Isa isa, const SimdTuning& tuning) {
  using Made = Result<std::unique_ptr<RecursiveOnHost>>;
  if (std::string why = misfit(work.H, plan); !why.empty()) return Made::misfit(std::move(why));
  std::unique_ptr<RecursiveOnHost> host(new RecursiveOnHost(work, plan, backend, isa, tuning));
  if (std::string why = host->make_bricks(backend, isa, tuning); !why.empty()) return Made::unsupported(std::move(why));
  return Made(std::move(host));
}

void RecursiveOnHost::pack(const Program& program, Packed& to, const std::vector<const float*>& weights) const {
  to.before = pack_weights(program.before, g_, weights);
  to.inner = pack_weights(program.inner, g_, weights);
  to.leaves = pack_weights(program.leaves, g_, weights);
}

void RecursiveOnHost::set_parameters(const std::vector<const float*>& weights, const std::vector<const float*>& biases) {
  pack(lowered_.forward, packed_forward_, weights);
  if (use_ == RecursiveUse::training) pack(lowered_.backward, packed_backward_, weights);
  biases_.clear();
  tensors_.biases.clear();
  for (const float* bias : biases) {
    auto& copy = biases_.emplace_back(static_cast<std::size_t>(g_.H));
    std::copy_n(bias, g_.H, copy.data());
    tensors_.biases.push_back(copy.data());
  }
}

void RecursiveOnHost::linearize(const Forest& forest) {
  levels_ = &linearizer_(forest);
  forward_levels_.clear();
  for (std::size_t l = 1; l < levels_->levels.size(); ++l) {
    const Level& level = levels_->levels[l];
    if (plan_.levels != 0) {
      forward_levels_.push_back(level);
    } else {
      for (std::int32_t n = level.begin; n < level.end; ++n) forward_levels_.push_back({n, n + 1});
    }
  }
  parents_number_.resize(static_cast<std::size_t>(levels_->edges));
  for (std::size_t e = 0; e < parents_number_.size(); ++e) {
    parents_number_[e] = levels_->node[static_cast<std::size_t>(levels_->parent[e])];
  }
  arrays_.fit(*levels_);
  if (use_ == RecursiveUse::training) updates_.fit(*levels_);
}

void RecursiveOnHost::run(const std::vector<const float*>& inputs) {
  tensors_.inputs = inputs;
  const Level leaves{levels_->first_leaf, levels_->nodes};
  std::vector<Step> steps;
  steps.push_back({kBefore, {0, levels_->nodes}});
  if (plan_.levels != 0) {
    steps.push_back({kLeaves, leaves});
  } else {
    for (std::int32_t n = leaves.begin; n < leaves.end; ++n) steps.push_back({kLeaves, {n, n + 1}});
  }
  for (const Level& level : forward_levels_) steps.push_back({kInner, level});
  run_steps(lowered_.forward, packed_forward_, steps);
}

void RecursiveOnHost::run_backward(const std::vector<const float*>& inputs, const std::vector<const float*>& upstream,
                                   const std::vector<float*>& input_gradients) {
  if (use_ != RecursiveUse::training) throw std::logic_error("run_backward() needs a driver made for training");
  tensors_.inputs = inputs;
  tensors_.upstream = upstream;
  tensors_.input_gradients = input_gradients;
  std::vector<Step> steps;
  for (auto level = forward_levels_.rbegin(); level != forward_levels_.rend(); ++level) {
    steps.push_back({kInner, *level});
  }
  steps.push_back({kLeaves, {levels_->first_leaf, levels_->nodes}});
  run_steps(lowered_.backward, packed_backward_, steps);
  updates_.run(arrays_, tensors_, *levels_);
}

void RecursiveOnHost::run_steps(const Program& program, const Packed& packed, const std::vector<Step>& steps) {
  const auto bind = [&](std::int64_t thread) {
    const BindingOf of{g_, arrays_, tensors_, *levels_, parents_number_, scratch_[static_cast<std::size_t>(thread)]};
    return Bound{{bind_stages(program.before, packed.before, of), bind_stages(program.inner, packed.inner, of),
                  bind_stages(program.leaves, packed.leaves, of)}};
  };
  // Threads share the blocks of features, and the nodes of a level if there are fewer blocks than threads.
  const auto run = [&](const BoundStage& stage, const Level& level, std::int64_t share, std::int64_t threads) {
    const std::int64_t columns = std::min(threads, g_.blocks), groups = threads / columns;
    if (share >= columns * groups) return;
    const LoopRange part = equal_part(level.size(), share / columns, groups);
    run_stage(stage, g_, bricks_, *levels_, level, {level.begin + part.begin, level.begin + part.end},
              equal_part(g_.blocks, share % columns, columns));
  };
  if (plan_.persist != 0) {
    in_one_region([&](std::int64_t thread, std::int64_t threads, const auto& meet) {
      const Bound bound = bind(thread);
      for (const Step& step : steps) {
        for (const BoundStage& stage : bound.all[step.stages]) {
          run(stage, step.level, thread, threads);
          meet();
        }
      }
    });
    return;
  }
  std::int64_t turn = 0;
  for (const Step& step : steps) {
    const std::size_t stages = (step.stages == kBefore  ? program.before
                                : step.stages == kInner ? program.inner
                                                        : program.leaves)
                                   .size();
    for (std::size_t s = 0; s < stages; ++s, ++turn) {
      in_one_region([&](std::int64_t thread, std::int64_t threads, const auto&) {
        const Bound bound = bind(thread);
        run(bound.all[step.stages][s], step.level, (thread + turn) % threads, threads);
      });
    }
  }
}

void RecursiveOnHost::get_state(int state, float* plain) const {
  const std::int64_t item = g_.H * (cell_.states()[static_cast<std::size_t>(state)].matrix ? g_.H : 1);
  const float* const from = arrays_.state(state);
  for (std::int32_t node = 0; node < levels_->nodes; ++node) {
    std::copy_n(from + levels_->place[static_cast<std::size_t>(node)] * item, item, plain + node * item);
  }
}

void RecursiveOnHost::get_gradients(const std::vector<float*>& weights, const std::vector<float*>& biases) const {
  updates_.get(weights, biases);
}

std::string RecursiveOnHost::program() const { return to_string(lowered_.forward, cell_); }

std::int64_t RecursiveOnHost::bytes() const {
  std::size_t floats = 0;
  for (const Packed* packed : {&packed_forward_, &packed_backward_}) {
    for (const PackedStages* stages : {&packed->before, &packed->inner, &packed->leaves}) {
      for (const auto& stage : *stages) {
        for (const auto& weights : stage) floats += weights.size();
      }
    }
  }
  for (const StageScratch& scratch : scratch_) {
    floats += scratch.operands.size() + scratch.sums.size() + scratch.temporaries.size() + scratch.zeros.size();
  }
  return arrays_.bytes() + updates_.bytes() + static_cast<std::int64_t>(floats * sizeof(float));
}

}  // namespace brickwork
