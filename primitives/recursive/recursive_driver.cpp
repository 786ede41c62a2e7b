#include "primitives/recursive/recursive_driver.hpp"

#include <algorithm>
#include <stdexcept>

namespace brickwork {
namespace {

// Features of an operand in one member of a brick call, and rows of a piece of a tape. With 256 and 32 instead of 128
// and 8, TreeFC and DAG-RNN over ten structures take 5 to 6 % less time, TreeGRU 3 % (Zen 4).
constexpr std::int64_t kFeaturesOfMember = 256, kRowsOfPiece = 32;
constexpr std::int64_t kMostChildren = 64;

bool has_matrices(const Cell& cell) {
  return std::ranges::any_of(cell.states(), [](const auto& state) { return state.matrix; });
}

std::int64_t most_children(const RecursiveWork& work) {
  const std::int64_t of_cell = work.cell->most_children() > 0 ? work.cell->most_children() : kMostChildren;
  if (work.most_children == 0) return of_cell;
  return work.cell->most_children() > 0 ? std::min(work.most_children, of_cell) : work.most_children;
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

RecursiveShapes shapes(const RecursiveGeometry& g, const RecursivePlan& plan, bool matrices) {
  const auto bk = static_cast<int>(g.bk), kb = static_cast<int>(g.kb);
  RecursiveShapes shapes{
      .weights = {.m = static_cast<int>(g.rows_of_call), .n = bk, .k = kb, .lda = g.kb, .ldb = g.bk, .ldc = g.bk},
      .few = {},
      .matrix = {},
      .last_matrix = {},
      .matrix_transposed = {}};
  shapes.weights.batch_kind = BatchKind::offsets;
  if (plan.few != 0) {
    shapes.few = shapes.weights;
    shapes.few.m = static_cast<int>(std::min(g.rows_of_call, kFewRows));
  }
  if (!matrices) return shapes;
  const auto last = static_cast<int>(g.H - (g.blocks - 1) * g.bk);
  const auto by_matrix = [&](int n) {
    return BrgemmShape{.m = 1, .n = n, .k = kb, .lda = g.kb, .ldb = g.H, .ldc = g.bk};
  };
  shapes.matrix = by_matrix(g.blocks > 1 ? bk : last);
  shapes.last_matrix = by_matrix(last);
  shapes.matrix_transposed = {
      .m = static_cast<int>(std::min(g.bk, g.H)), .n = 1, .k = kb, .lda = g.H, .ldb = 1, .ldc = 1};
  return shapes;
}

// In training, forward and backward pass through the same levels.
Division division(const RecursivePlan& plan, RecursiveUse use) {
  return use == RecursiveUse::training ? Division::shared : plan.division();
}

std::vector<const Stages*> all_stages(const Lowered& lowered) {
  std::vector<const Stages*> all;
  for (const Program* program : {&lowered.forward, &lowered.backward}) {
    for (const Stages* stages : {&program->before, &program->leaves, &program->inner}) all.push_back(stages);
  }
  return all;
}

}  // namespace

RecursiveDriver::RecursiveDriver(const RecursiveWork& work, const RecursivePlan& plan, const RecursiveTarget& target)
    : cell_(*work.cell),
      plan_(plan),
      use_(work.use),
      target_(target),
      lowered_(lower(cell_, plan.passes(), work.use == RecursiveUse::training)),
      g_(geometry(work, plan)),
      on_host_(target.memory(1) == nullptr),
      forward_(packed(lowered_.forward)),
      backward_(packed(lowered_.backward)),
      linearizer_(static_cast<std::int32_t>(g_.most_children), cell_.positions(), order_for(division(plan, use_)),
                  static_cast<std::int32_t>(target.shares())),
      reads_parents_child_(has(lowered_.forward, RowMode::parents_child) ||
                           has(lowered_.backward, RowMode::parents_child)),
      // Threads that are in different levels at a time do not share the places of one level.
      arrays_(lowered_.forward.arrays, work.H, plan.dense != 0 && division(plan, use_) == Division::shared, target),
      layout_(all_stages(lowered_), g_),
      scratch_(layout_.size * target.shares(), target),
      zeros_(g_.row_of_temporary(), target) {}

std::string RecursiveDriver::make_passes() {
  auto passes = target_.passes(shapes(g_, plan_, has_matrices(cell_)));
  if (!passes) return passes.reason();
  passes_ = *std::move(passes);
  return {};
}

void RecursiveDriver::make_updates(Backend backend, Isa isa, const SimdTuning& tuning) {
  updates_.emplace(lowered_.backward, static_cast<int>(cell_.weights().size()), static_cast<int>(cell_.biases().size()),
                   g_, backend, isa, tuning);
}

RecursiveDriver::Packed RecursiveDriver::packed(const Program& program) const {
  return {PackedStages(program.before, g_, target_), PackedStages(program.leaves, g_, target_),
          PackedStages(program.inner, g_, target_)};
}

void RecursiveDriver::set_parameters(const std::vector<const float*>& weights,
                                     const std::vector<const float*>& biases) {
  for (Packed* packed : {&forward_, &backward_}) {
    for (PackedStages* stages : {&packed->before, &packed->leaves, &packed->inner}) stages->pack(weights);
  }
  biases_.clear();
  tensors_.biases.clear();
  for (const float* bias : biases) {
    auto& copy = biases_.emplace_back(g_.H, target_);
    std::copy_n(bias, g_.H, copy.host());
    copy.send();
    tensors_.biases.push_back(copy.data());
  }
}

void RecursiveDriver::linearize(const Forest& forest) {
  levels_ = &linearizer_(forest);
  kind_ = forest.kind;
  parents_number_.clear();
  append_of_parents(levels_->node.data(), parents_number_);
  parents_child_.clear();
  for (std::int64_t position = 0; reads_parents_child_ && position < cell_.positions(); ++position) {
    append_of_parents(levels_->child_at.data() + position * levels_->nodes, parents_child_);
  }
  arrays_.fit(*levels_);
  if (updates_) updates_->fit(*levels_);
}

// Of a list with an entry for each place, appends the entry of each edge's parent.
void RecursiveDriver::append_of_parents(const std::int32_t* of_places, std::vector<std::int32_t>& to) const {
  for (const std::int32_t parent : levels_->parent) to.push_back(of_places[parent]);
}

void RecursiveDriver::copy_inputs(const std::vector<const float*>& inputs) {
  tensors_.inputs = inputs;
  if (on_host()) return;
  inputs_.resize(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Cell::Input& input = cell_.inputs()[i];
    const std::int64_t rows = input.of_leaves ? levels_->nodes - levels_->first_leaf : levels_->nodes;
    const std::int64_t size = rows * g_.H * (input.matrix ? g_.H : 1);
    if (static_cast<std::int64_t>(inputs_[i].size()) != size) inputs_[i] = {size, target_};
    std::copy_n(inputs[i], size, inputs_[i].host());
    inputs_[i].send();
    tensors_.inputs[i] = inputs_[i].data();
  }
}

void RecursiveDriver::run(const std::vector<const float*>& inputs) {
  copy_inputs(inputs);
  run_program(forward_, forward_steps(lowered_.forward, *levels_, kind_, division(plan_, use_), plan_.levels != 0,
                                      static_cast<std::int32_t>(target_.shares())));
}

void RecursiveDriver::run_backward(const std::vector<const float*>& inputs, const std::vector<const float*>& upstream,
                                   const std::vector<float*>& input_gradients) {
  if (!updates_) throw std::logic_error("run_backward() needs a driver that was made for training");
  tensors_.inputs = inputs;
  tensors_.upstream = upstream;
  tensors_.input_gradients = input_gradients;
  run_program(backward_, backward_steps(lowered_.backward, *levels_, plan_.levels != 0));
  updates_->run(arrays_, tensors_, *levels_);
}

void RecursiveDriver::run_program(const Packed& packed, const StepsOfRun& steps) {
  const Levels& levels = *levels_;
  const auto there = [&](auto& to, const auto& list) { return to.of(list, target_, on_host()); };
  const ListsOfLevels lists{there(parent_, levels.parent),
                            there(child_, levels.child),
                            there(child_at_, levels.child_at),
                            there(node_, levels.node),
                            there(number_, parents_number_),
                            there(by_position_, parents_child_),
                            levels.nodes,
                            levels.edges};
  const BindingOf binding{g_, arrays_, tensors_, lists, layout_, scratch_.data(), zeros_.data()};
  program_.clear();
  for (const PackedStages* stages : {&packed.before, &packed.leaves, &packed.inner}) program_.append(*stages, binding);
  passes_.run({.g = g_,
               .program = {.instructions = there(instructions_, program_.instructions),
                           .operands = there(operands_, program_.operands),
                           .calls = there(calls_, program_.calls),
                           .offsets_a = there(offsets_a_, program_.offsets_a),
                           .offsets_b = there(offsets_b_, program_.offsets_b),
                           .stages = there(stages_, program_.stages),
                           .steps = there(steps_, steps.steps),
                           .phases = there(phases_, steps.phases),
                           .phase_count = static_cast<std::int32_t>(steps.phases.size())},
               .levels = {.first_leaf = levels.first_leaf,
                          .first_edge = there(first_edge_, levels.first_edge),
                          .parent = lists.parent,
                          .first_use = there(first_use_, levels.first_use),
                          .uses = there(uses_, levels.uses)},
               .scratch_size = layout_.size,
               .persist = plan_.persist != 0});
}

void RecursiveDriver::get_state(int state, float* plain) const {
  const std::int64_t item = g_.H * (cell_.states()[static_cast<std::size_t>(state)].matrix ? g_.H : 1);
  const float* const from = arrays_.fetched_state(state);
  for (std::int32_t node = 0; node < levels_->nodes; ++node) {
    std::copy_n(from + levels_->place[static_cast<std::size_t>(node)] * item, item, plain + node * item);
  }
}

void RecursiveDriver::get_gradients(const std::vector<float*>& weights, const std::vector<float*>& biases) const {
  updates_.value().get(weights, biases);
}

std::string RecursiveDriver::program() const { return to_string(lowered_.forward, cell_); }

std::int64_t RecursiveDriver::bytes() const {
  std::int64_t all = arrays_.bytes() + (updates_ ? updates_->bytes() : 0);
  for (const Packed* packed : {&forward_, &backward_}) {
    for (const PackedStages* stages : {&packed->before, &packed->leaves, &packed->inner}) all += stages->bytes();
  }
  return all + static_cast<std::int64_t>((scratch_.size() + zeros_.size()) * sizeof(float));
}

}  // namespace brickwork
