#include "primitives/rnn/host/rnn_on_host.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "primitives/bricks/tile_brick.hpp"
#include "primitives/nest/league.hpp"
#include "primitives/nest/one_region.hpp"
#include "primitives/planning/machine_model.hpp"
#include "primitives/rnn/rnn_backward_body.hpp"
#include "primitives/rnn/rnn_forward_body.hpp"
#include "primitives/rnn/rnn_plan.hpp"

namespace brickwork {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

// With more sequences than this, weights are used for long enough to prefetch the next ones meanwhile: an LSTM of 1024
// features takes 3 to 6 % less time; with one sequence it would take 5 % more (Zen 5).
constexpr std::int64_t kFewSequences = 8;
// If tuning allows it, a sum is cut into parts whose weights stay in L1. This needs many rows that fill at most this
// share of L2: LSTMs of 256 features take 4 to 7 % less time, while those of 512 would take up to 4 % and those of 1024
// up to 7 % more (Zen 5, 1 MiB). With fewer rows the weights are used so few times that storing C in between costs as
// much.
constexpr double kRowsOfL2 = 0.25;
constexpr int kManyRows = 96;
// If a sum's weights, which every register tile reads, fill more than this share of L2, it is cut into parts of a third
// of L2, so that the next call's weights fit beside them. Plain layers of 2560 features take 1 to 5 % less time with 16
// to 64 sequences, GRUs of 2816 up to 3 % and LSTMs of 4096 3 to 8 % less; layers of 1760 and 2048 would take the same
// time (Zen 5).
constexpr double kWeightsOfL2 = 0.5;
constexpr std::int64_t kPartsOfL2 = 3;
constexpr std::int64_t kTasksOfAThread = 4;
// L2 / this is the most that a call's weights may fill in the backward products, so that they, the call's rows of gates
// and the next call's weights stay in L2. An LSTM's backward pass by data takes 5 % less time with 256 and with 1024
// features than with calls of twice as many weights (Zen 5, 1 MiB).
constexpr std::int64_t kShareOfL2OfWeights = 8;
constexpr std::int64_t kRowsOfDx = 168;
// Rows of a call of an update. Several steps share a call if sequences are few.
constexpr std::int64_t kRowsOfUpdate = 256;

// Runs all steps in one parallel region; a thread has the same tasks at every step. If `alone` and the blocks of
// sequences can be dealt evenly, each thread has its own sequences and never waits. If not, each thread keeps its own
// weights and waits for the others at the end of each half.
template <class Body>
void over_time_on_host(std::int64_t Nb, std::int64_t Kb, bool alone, const Body& body) {
  in_one_region([&](std::int64_t thread, std::int64_t threads, const auto& meet) {
    const bool own = alone && Nb % threads == 0;
    const LoopRange blocks = own ? equal_part(Nb, thread, threads) : LoopRange{0, Nb};
    const std::int64_t tasks = blocks.size() * Kb;
    const LoopRange of_thread = own ? LoopRange{0, tasks} : equal_part(tasks, thread, threads);
    body.over_time(RnnShare{thread, equal_part(Kb, thread, threads), blocks, of_thread}, [&] {
      if (!own) meet();
    });
  });
}

struct RowsByVectors {
  template <class Team, class AnyRows>
  void operator()(const Team&, RnnCell cell, RnnHalf half, const AnyRows& rows) const {
    rnn_rows(cell, half, rows);
  }
};

// An operand's kernels for beta 0 and 1.
struct Kernels {
  BrgemmKernelPtr of[kRnnGradients][2];

  KernelBrick brick(int operand) const { return {{of[operand][0].get(), of[operand][1].get()}}; }
  RnnBricks<KernelBrick> bricks() const { return {{brick(kRnnX), brick(kRnnState), brick(kRnnReset)}}; }
};

template <class ShapeOf>
Result<Kernels> make_kernels(Backend backend, Isa isa, int operands, const ShapeOf& shape_of,
                             const BrgemmHints& hints) {
  Kernels kernels;
  for (int operand = 0; operand < operands; ++operand) {
    BrgemmShape shape = shape_of(operand);
    if (shape.n == 0 || shape.k == 0) continue;
    for (shape.beta = 0; shape.beta < 2; ++shape.beta) {
      auto made = make_brgemm(shape, hints, backend, isa);
      if (!made) return {made.status(), made.reason()};
      kernels.of[operand][shape.beta] = *std::move(made);
    }
  }
  return kernels;
}

// Steps over k of one part of a sum, so that its weights stay in L1; all steps if tuning does not cut sums or rows are
// few.
std::int64_t steps_of_part(const BrgemmShape& brick, std::int64_t steps, const SimdTuning& tuning) {
  const std::int64_t widest = tuning.few_registers ? kColumnsOfTile / 2 : kColumnsOfTile;
  if (tuning.sums == Sums::whole || brick.m < kManyRows) return steps;
  return tuning.kept * 1024 / (std::min<std::int64_t>(brick.n, widest) * static_cast<std::int64_t>(sizeof(float)));
}

RnnForwardGeometry with_sums_in_parts(RnnForwardGeometry g, std::int64_t l2, const SimdTuning& tuning) {
  for (int operand = 0; operand < kRnnOperands; ++operand) {
    if (g.of[operand].count == 0) continue;
    const BrgemmShape brick = g.brick(operand);
    const std::int64_t blocks = g.of[operand].a.blocks(), steps = blocks * brick.k;
    const auto fill = [&](std::int64_t rows, double share) {
      return static_cast<double>(rows * steps) * sizeof(float) > share * static_cast<double>(l2);
    };
    const std::int64_t row = brick.n * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t most = fill(brick.n, kWeightsOfL2) ? l2 / kPartsOfL2 / row
                              : fill(brick.m, kRowsOfL2)  ? steps
                                                          : steps_of_part(brick, steps, tuning);
    g.of[operand].together = equal_block(blocks, std::max<std::int64_t>(1, most / brick.k));
  }
  return g;
}

RnnBackwardGeometry with_sums_in_parts(RnnBackwardGeometry g, const SimdTuning& tuning) {
  for (int operand = 0; operand < kRnnOperands; ++operand) {
    if (g.forward.of[operand].count == 0) continue;
    std::int64_t& k = g.of[operand].k;
    std::int64_t parts = ceil_div(k, steps_of_part(g.product(operand), k, tuning));
    while (k % parts != 0) ++parts;
    k /= parts;
  }
  return g;
}

}  // namespace

Result<RnnPasses> RnnOnHost::passes(const RnnForwardGeometry& whole, const RnnBackwardGeometry* whole_back) const {
  const std::int64_t l2 = this_machine(Space().concurrency()).l2_bytes;
  const RnnForwardGeometry forward = with_sums_in_parts(whole, l2, tuning_);
  const BrgemmHints hints{.reads_next = forward.bn > kFewSequences, .tuning = tuning_};
  const auto kernels = make_kernels(
      backend_, isa_, kRnnOperands, [&](int operand) { return forward.brick(operand); }, hints);
  if (!kernels) return {kernels.status(), kernels.reason()};
  RnnPasses passes{.isa = std::string(kernels->of[kRnnState][1]->isa())};
  passes.forward = [g = forward, kernels = *kernels](const RnnForwardData& data) {
    over_time_on_host(g.Nb(), g.Kb, !g.x_apart(),
                      RnnForwardBody<KernelBrick, RowsByVectors>{{g, data, kernels.bricks(), {}}});
  };
  if (whole_back == nullptr) return passes;
  const RnnBackwardGeometry back = with_sums_in_parts(*whole_back, tuning_);
  const BrgemmHints hints_of_products{.c = CAccess::prefetch, .reads_next = true, .tuning = tuning_};
  const auto products = make_kernels(
      backend_, isa_, kRnnOperands, [&](int operand) { return back.product(operand); }, hints_of_products);
  if (!products) return {products.status(), products.reason()};
  const auto updates = make_kernels(backend_, isa_, kRnnGradients, [&](int operand) { return back.update(operand); },
                                    {.tuning = tuning_});
  if (!updates) return {updates.status(), updates.reason()};
  const auto body_of = [g = back, kernels = *products](const RnnBackwardData& data) {
    return RnnBackwardBody<KernelBrick, RowsByVectors>{g, data, kernels.bricks(), {}};
  };
  passes.backward_data = [=, g = back](const RnnBackwardData& data) {
    over_time_on_host(g.Nb(), g.Db, true, body_of(data));
  };
  passes.gradient_of_x = [=, tasks = back.tasks_of_dx()](const RnnBackwardData& data) {
    parallel_league(Space(), tasks, 1, 0, body_of(data));
  };
  passes.weight_update = [g = back, kernels = *updates](const RnnBackwardData& data) {
    const RnnUpdateBody<KernelBrick> body{g, data, kernels.bricks(), kernels.brick(kRnnOnes)};
    parallel_league(Space(), body.tasks(), 1, 0, body);
  };
  return passes;
}

RnnSizes RnnOnHost::sizes(std::int64_t, std::int64_t bn, std::int64_t) const {
  const std::int64_t threads = Space().concurrency();
  return {.apart = false,
          .threads = threads,
          .rows_of_x = std::numeric_limits<int>::max(),
          .bn = bn,
          .shares = 1,
          .bytes_of_weights = this_machine(1).l2_bytes / kShareOfL2OfWeights,
          .rows_of_dx = kRowsOfDx,
          .rows_of_update = kRowsOfUpdate,
          .tasks_of_dx = kTasksOfAThread * threads,
          .tasks_of_update = 1};
}

}  // namespace brickwork
