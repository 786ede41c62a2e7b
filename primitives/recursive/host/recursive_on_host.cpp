#include "primitives/recursive/host/recursive_on_host.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "primitives/nest/one_region.hpp"

namespace brickwork {
namespace {

// Features of an operand in one member of a brick call.
constexpr std::int64_t kFeaturesOfMember = 128;
constexpr std::int64_t kRowsOfPiece = 8;
constexpr std::int64_t kMostChildren = 64;

enum { kBefore, kInner, kLeaves };

int threads() { return Kokkos::DefaultHostExecutionSpace().concurrency(); }

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
      linearizer_(static_cast<std::int32_t>(g_.most_children), cell_.positions(), order_for(division()), threads()),
      // Threads that are in different levels at a time do not share the places of one level.
      arrays_(lowered_.forward.arrays, work.H, plan.dense != 0 && division() == Division::shared),
      updates_(lowered_.backward, static_cast<int>(cell_.weights().size()), static_cast<int>(cell_.biases().size()), g_,
               backend, isa, tuning) {
  std::vector<const Stages*> all;
  for (const Program* program : {&lowered_.forward, &lowered_.backward}) {
    for (const Stages* stages : {&program->before, &program->inner, &program->leaves}) all.push_back(stages);
  }
  for (int thread = 0; thread < threads(); ++thread) scratch_.emplace_back(all, g_);
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
  if (auto why = made(bricks_.weights, shape); !why.empty()) return why;
  shape.m = static_cast<int>(std::min(g_.rows_of_call, kFewRows));
  if (plan_.few != 0) {
    if (auto why = made(bricks_.few, shape); !why.empty()) return why;
  }
  if (!has_matrices(cell_)) return {};
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

void RecursiveOnHost::set_parameters(const std::vector<const float*>& weights,
                                     const std::vector<const float*>& biases) {
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
  kind_ = forest.kind;
  parents_number_.resize(static_cast<std::size_t>(levels_->edges));
  for (std::size_t e = 0; e < parents_number_.size(); ++e) {
    parents_number_[e] = levels_->node[static_cast<std::size_t>(levels_->parent[e])];
  }
  arrays_.fit(*levels_);
  if (use_ == RecursiveUse::training) updates_.fit(*levels_);
}

namespace {

Phase one_by_one(const Work& work) {
  Phase all;
  for (std::int32_t n = work.nodes.begin; n < work.nodes.end; ++n)
    all.push_back({work.level, work.stage, {n, n + 1}, kShared});
  return all;
}

}  // namespace

// Appends a phase; without level batches, one for each node.
void RecursiveOnHost::append(Steps& steps, int stages, const Phase& phase) const {
  const auto level = [&](const Work& work) {
    return stages == kBefore ? Level{0, levels_->nodes} : levels_->levels[static_cast<std::size_t>(work.level)];
  };
  if (plan_.levels != 0 || stages == kBefore) {
    auto& step = steps.emplace_back();
    for (const Work& work : phase) step.push_back({stages, work, level(work)});
    return;
  }
  for (const Work& work : phase) {
    for (const Work& one : one_by_one(work)) steps.push_back({{stages, one, level(work)}});
  }
}

void RecursiveOnHost::append_whole(Steps& steps, int stages, std::size_t count, const Level& nodes) const {
  for (std::size_t s = 0; s < count; ++s) append(steps, stages, {{0, static_cast<std::int32_t>(s), nodes, kShared}});
}

RecursiveOnHost::Steps RecursiveOnHost::forward_steps() const {
  Steps steps;
  const Program& program = lowered_.forward;
  append_whole(steps, kBefore, program.before.size(), {0, levels_->nodes});
  append_whole(steps, kLeaves, program.leaves.size(), {levels_->first_leaf, levels_->nodes});
  for (const Phase& phase : schedule(*levels_, kind_, division(), static_cast<std::int32_t>(program.inner.size()),
                                     static_cast<std::int32_t>(scratch_.size()))) {
    append(steps, kInner, phase);
  }
  return steps;
}

// Levels in reverse; each level's stages in order.
RecursiveOnHost::Steps RecursiveOnHost::backward_steps() const {
  Steps steps;
  const Program& program = lowered_.backward;
  for (auto level = static_cast<std::int32_t>(levels_->levels.size()); level-- > 1;) {
    for (std::size_t s = 0; s < program.inner.size(); ++s) {
      append(steps, kInner,
             {{level, static_cast<std::int32_t>(s), levels_->levels[static_cast<std::size_t>(level)], kShared}});
    }
  }
  append_whole(steps, kLeaves, program.leaves.size(), {levels_->first_leaf, levels_->nodes});
  return steps;
}

void RecursiveOnHost::run(const std::vector<const float*>& inputs) {
  tensors_.inputs = inputs;
  run_steps(lowered_.forward, packed_forward_, forward_steps());
}

void RecursiveOnHost::run_backward(const std::vector<const float*>& inputs, const std::vector<const float*>& upstream,
                                   const std::vector<float*>& input_gradients) {
  if (use_ != RecursiveUse::training) throw std::logic_error("run_backward() needs a driver made for training");
  tensors_.inputs = inputs;
  tensors_.upstream = upstream;
  tensors_.input_gradients = input_gradients;
  run_steps(lowered_.backward, packed_backward_, backward_steps());
  updates_.run(arrays_, tensors_, *levels_);
}

void RecursiveOnHost::run_steps(const Program& program, const Packed& packed, const Steps& steps) {
  using Bound = std::array<std::vector<BoundStage>, 3>;
  const auto bind = [&](std::int64_t thread) {
    const BindingOf of{g_, arrays_, tensors_, *levels_, parents_number_, scratch_[static_cast<std::size_t>(thread)]};
    return Bound{bind_stages(program.before, packed.before, of), bind_stages(program.inner, packed.inner, of),
                 bind_stages(program.leaves, packed.leaves, of)};
  };
  // Threads share the blocks of features, and the nodes of a level if there are fewer blocks than threads.
  const auto run = [&](const Bound& bound, const Step& step, std::int64_t share, std::int64_t threads) {
    const Work& work = step.work;
    const BoundStage& stage = bound[static_cast<std::size_t>(step.stages)][static_cast<std::size_t>(work.stage)];
    const auto run_nodes = [&](const LoopRange& nodes, const LoopRange& blocks) {
      run_stage(stage, g_, bricks_, *levels_, step.level, nodes, blocks);
    };
    if (work.owner == share) return run_nodes({work.nodes.begin, work.nodes.end}, {0, g_.blocks});
    if (work.owner != kShared) return;
    const std::int64_t columns = std::min(threads, g_.blocks), groups = threads / columns;
    if (share >= columns * groups) return;
    const LoopRange part = equal_part(work.nodes.size(), share / columns, groups);
    run_nodes({work.nodes.begin + part.begin, work.nodes.begin + part.end},
              equal_part(g_.blocks, share % columns, columns));
  };
  if (plan_.persist != 0) {
    in_one_region([&](std::int64_t thread, std::int64_t threads, const auto& meet) {
      const Bound bound = bind(thread);
      for (const auto& phase : steps) {
        for (const Step& step : phase) run(bound, step, thread, threads);
        meet();
      }
    });
    return;
  }
  std::vector<Bound> bound;
  for (std::size_t thread = 0; thread < scratch_.size(); ++thread) {
    bound.push_back(bind(static_cast<std::int64_t>(thread)));
  }
  std::int64_t turn = 0;
  for (const auto& phase : steps) {
    in_one_region([&](std::int64_t thread, std::int64_t threads, const auto&) {
      for (const Step& step : phase) {
        run(bound[static_cast<std::size_t>(thread)], step, (thread + turn) % threads, threads);
      }
    });
    ++turn;
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
