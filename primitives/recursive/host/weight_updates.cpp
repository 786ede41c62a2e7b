#include "primitives/recursive/host/weight_updates.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "primitives/nest/league.hpp"

namespace brickwork {
namespace {

constexpr std::int64_t kStepsOfMember = 64;  // rows of the sum in one member of a call

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

WeightUpdates::WeightUpdates(const Program& backward, int weights, int biases, const RecursiveGeometry& g,
                             Backend backend, Isa isa, const SimdTuning& tuning)
    : updates_(backward.updates), g_(g), backend_(backend), isa_(isa), tuning_(tuning), ones_(index(kStepsOfMember)) {
  std::fill_n(ones_.data(), kStepsOfMember, 1.0F);
  const std::int64_t row = g.blocks * g.bk;
  for (int i = 0; i < weights; ++i) weights_.emplace_back(index(g.blocks * g.bk * row));
  for (int i = 0; i < biases; ++i) biases_.emplace_back(index(row));
}

std::int64_t WeightUpdates::rows_of(const Update& update, const Levels& levels) const {
  if (update.over == Over::edge) return levels.edges * (update.matrix ? g_.H : 1);
  const std::int64_t nodes = update.rows == RowsOf::inner    ? levels.first_leaf
                             : update.rows == RowsOf::leaves ? levels.nodes - levels.first_leaf
                                                             : levels.nodes;
  return nodes * (update.matrix ? g_.H : 1);
}

// In an array of all nodes, leaves come last.
std::int64_t WeightUpdates::first_row(const Update& update, const ArrayInfo& array, const Levels& levels) const {
  const bool behind = update.rows == RowsOf::leaves && array.rows == RowsOf::all && update.over == Over::node;
  return behind ? levels.first_leaf * (update.matrix ? g_.H : 1) : 0;
}

void WeightUpdates::make(const Shape& of) {
  if (kernels_.contains({of, 0})) return;
  for (int beta = 0; beta < 2; ++beta) {
    const bool bias = of.bias;
    const BrgemmShape shape{.m = static_cast<int>(of.m),
                            .n = static_cast<int>(of.n),
                            .k = static_cast<int>(of.steps),
                            .lda = bias ? of.steps : g_.H,
                            .ldb = g_.H,
                            .ldc = g_.blocks * g_.bk,
                            .a_transposed = !bias,
                            .beta = beta,
                            .batch_kind = BatchKind::strides,
                            .stride_a = bias ? 0 : of.steps * g_.H,
                            .stride_b = of.steps * g_.H,
                            .pixels_of_a = {},
                            .pixels_of_c = {}};
    auto made = make_brgemm(shape, {.tuning = tuning_}, backend_, isa_);
    if (!made) throw std::runtime_error(made.reason());
    kernels_[{of, beta}] = *std::move(made);
  }
}

void WeightUpdates::fit(const Levels& levels) {
  const std::set<std::int64_t> widths{width(0), width((g_.blocks - 1) * g_.bk)};
  for (const Update& update : updates_) {
    const std::int64_t rows = rows_of(update, levels);
    const bool bias = update.weight < 0;
    for (const std::int64_t n : widths) {
      for (const std::int64_t m : widths) {
        for (const std::int64_t steps : {rows < kStepsOfMember ? 0 : kStepsOfMember, rows % kStepsOfMember}) {
          if (steps > 0) make({bias, bias ? 1 : m, n, steps});
        }
      }
    }
  }
}

void WeightUpdates::update_block(const Update& update, std::int64_t m, std::int64_t n, bool first,
                                 RecursiveArrays& arrays, const RecursiveTensors& tensors, const Levels& levels) const {
  const bool bias = update.weight < 0;
  const std::int64_t rows = rows_of(update, levels), ld = g_.blocks * g_.bk;
  const auto rows_of_array = [&](int array) {
    return arrays.data(array, tensors) + first_row(update, arrays.info(array), levels) * g_.H;
  };
  const float* const a = bias ? ones_.data() : rows_of_array(update.operand) + m;
  const float* const b = rows_of_array(update.gradient) + n;
  const auto add = [&](std::int64_t row, std::int64_t steps, std::int64_t members) {
    const BrgemmKernel& kernel = *kernels_.at({{bias, bias ? 1 : width(m), width(n), steps}, first ? 0 : 1});
    BrgemmCall call;
    call.batch = strided_batch(kernel.shape(), bias ? a : a + row * g_.H, b + row * g_.H, members);
    call.c = const_cast<float*>(bias ? biases_[index(update.bias)].data() + n
                                     : weights_[index(update.weight)].data() + m * ld + n);
    kernel(call);
    first = false;
  };
  const std::int64_t members = rows / kStepsOfMember, rest = rows % kStepsOfMember;
  if (members > 0) add(0, kStepsOfMember, members);
  if (rest > 0) add(members * kStepsOfMember, rest, 1);
}

void WeightUpdates::run(RecursiveArrays& arrays, const RecursiveTensors& tensors, const Levels& levels) {
  // A task has a block of one weight's gradient and adds up all updates of it, in their order.
  const std::int64_t of_weight = g_.blocks * g_.blocks, weights = static_cast<std::int64_t>(weights_.size()),
                     biases = static_cast<std::int64_t>(biases_.size());
  for_each_on_host(weights * of_weight + biases * g_.blocks, [&](std::int64_t task) {
    const bool bias = task >= weights * of_weight;
    const std::int64_t at = bias ? task - weights * of_weight : task;
    const std::int64_t which = at / (bias ? g_.blocks : of_weight);
    const std::int64_t m = bias ? 0 : at % of_weight / g_.blocks * g_.bk, n = at % g_.blocks * g_.bk;
    const std::int64_t ld = g_.blocks * g_.bk;
    bool first = true;
    for (const Update& update : updates_) {
      if ((bias ? update.bias : update.weight) != which || rows_of(update, levels) == 0) continue;
      update_block(update, m, n, first, arrays, tensors, levels);
      first = false;
    }
    if (!first) return;
    float* const c = bias ? biases_[index(which)].data() + n : weights_[index(which)].data() + m * ld + n;
    for (std::int64_t r = 0; r < (bias ? 1 : g_.bk); ++r) std::fill_n(c + r * ld, g_.bk, 0.0F);
  });
}

void WeightUpdates::get(const std::vector<float*>& weights, const std::vector<float*>& biases) const {
  const std::int64_t ld = g_.blocks * g_.bk;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::int64_t r = 0; r < g_.H; ++r) std::copy_n(weights_[i].data() + r * ld, g_.H, weights[i] + r * g_.H);
  }
  for (std::size_t i = 0; i < biases.size(); ++i) std::copy_n(biases_[i].data(), g_.H, biases[i]);
}

std::int64_t WeightUpdates::bytes() const {
  std::size_t floats = 0;
  for (const auto& buffers : {&weights_, &biases_}) {
    for (const auto& buffer : *buffers) floats += buffer.size();
  }
  return static_cast<std::int64_t>(floats * sizeof(float));
}

}  // namespace brickwork
