#include "rnn/rnn_on_host.hpp"

#include <limits>
#include <string>

#include "league.hpp"
#include "light_barrier.hpp"
#include "machine_model.hpp"
#include "rnn/rnn_backward_body.hpp"
#include "rnn/rnn_forward_body.hpp"
#include "tile_brick.hpp"

namespace brickwork {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

// With more sequences than so few, whose weights pass as fast as they come, weights can be asked for while others are
// multiplied: 3 to 6 % of an LSTM of 1024 features, for which one sequence would pay 5 %. Where they come from memory,
// so many that all have come takes another 1 to 4 % of LSTMs of 2048 and 4096 features with 32 and 64 (Zen 5).
constexpr std::int64_t kFewSequences = 8;
// A call's sum goes in parts where its rows fill at most this share of L2: LSTMs of 256 features take 4 to 7 % less by
// that, of 512 they would take up to 4, and of 1024 up to 7 % more (Zen 5, 1 MiB).
constexpr double kRowsOfL2 = 0.25;
// Where its weights, which every register tile passes over, fill more than this share, it goes in parts of a third of
// L2, as those of the next call come meanwhile: plain layers of 2560 features take 1 to 5 % less with 16 to 64
// sequences, GRUs of 2816 up to 3 %, LSTMs of 4096 3 to 8 %; of 1760 and 2048 they would take as long.
constexpr double kWeightsOfL2 = 0.5;
constexpr std::int64_t kPartsOfL2 = 3;
constexpr std::int64_t kTasksOfAThread = 4;
// The share of L2 that a call's weights may fill. They, its rows of gates and the next call's weights stay there: of an
// LSTM's way back by data 5 % with 256 and with 1024 features, against twice as much (Zen 5, 1 MiB).
constexpr std::int64_t kShareOfL2OfWeights = 8;
constexpr std::int64_t kRowsOfDx = 168;
// Pixels, so to speak, of a call of an update: steps are taken together where there are few sequences.
constexpr std::int64_t kRowsOfUpdate = 256;

// On the host's threads: one parallel region, in which each has the same tasks at every step. Where what is `alone` has
// blocks of sequences that can be dealt evenly each thread has its own and waits for nobody; else its weights stay with
// it, and it waits for the others' share at the end of each half.
template <class Body>
void over_time_on_host(std::int64_t Nb, std::int64_t Kb, bool alone, const Body& body) {
  const int threads = Space().concurrency();
  const bool own = alone && Nb % threads == 0;
  LightBarrier barrier(threads);
  const auto all_steps = [&](const auto& team, std::int64_t, void*) {
    const std::int64_t thread = team.rank();
    const auto share = [=](std::int64_t size) {
      return LoopRange{size * thread / threads, size * (thread + 1) / threads};
    };
    const LoopRange blocks = own ? share(Nb) : LoopRange{0, Nb};
    const std::int64_t tasks = blocks.size() * Kb;
    body.over_time(RnnShare{thread, share(Kb), blocks, own ? LoopRange{0, tasks} : share(tasks)}, [&] {
      if (!own) barrier.wait();
    });
  };
  parallel_league(Space(), 1, threads, 0, all_steps);
}

struct RowsByVectors {
  template <class Team, class AnyRows>
  void operator()(const Team&, RnnCell cell, RnnHalf half, const AnyRows& rows) const {
    rnn_rows(cell, half, rows);
  }
};

// Of both betas, for the operands that there are.
struct Kernels {
  BrgemmKernelPtr of[kRnnGradients][2];

  KernelBrick brick(int operand) const { return {{of[operand][0].get(), of[operand][1].get()}}; }
  RnnBricks<KernelBrick> bricks() const { return {{brick(kRnnX), brick(kRnnState), brick(kRnnReset)}}; }
};

// Refused where there is none of an operand.
template <class ShapeOf, class HintsOf>
Result<Kernels> make_kernels(Backend backend, Isa isa, int operands, const ShapeOf& shape_of, const HintsOf& hints_of) {
  Kernels kernels;
  for (int operand = 0; operand < operands; ++operand) {
    BrgemmShape shape = shape_of(operand);
    if (shape.n == 0 || shape.k == 0) continue;
    for (shape.beta = 0; shape.beta < 2; ++shape.beta) {
      auto made = make_brgemm(shape, hints_of(shape, operand), backend, isa);
      if (!made) return {made.status(), made.reason()};
      kernels.of[operand][shape.beta] = *std::move(made);
    }
  }
  return kernels;
}

}  // namespace

Result<RnnPasses> RnnOnHost::passes(const RnnForwardGeometry& forward, const RnnBackwardGeometry* back) const {
  const MachineModel machine = this_machine(Space().concurrency());
  const auto bytes_of = [](std::int64_t floats) { return floats * static_cast<std::int64_t>(sizeof(float)); };
  const std::int64_t recurrence =
      forward.of[kRnnState].weights_at(forward.Kb, 0) + forward.of[kRnnReset].weights_at(forward.Kb, 0);
  const bool far = !machine.l3_holds(static_cast<double>(bytes_of(recurrence)));
  const NextRead next = forward.bn <= kFewSequences ? NextRead::unsaid : far ? NextRead::far : NextRead::near;
  const auto forward_hints = [&](const BrgemmShape& shape, int operand) {
    const RnnSteps& a = forward.of[operand].a;
    const auto l2 = static_cast<double>(machine.l2_bytes);
    const auto fills = [&](int rows, double share) {
      return static_cast<double>(rows * bytes_of(a.blocks() * a.block)) > share * l2;
    };
    const bool weights_fill = fills(shape.n, kWeightsOfL2);
    return BrgemmHints{.next = next,
                       .in_parts = weights_fill || !fills(shape.m, kRowsOfL2),
                       .b_of_part = weights_fill ? machine.l2_bytes / kPartsOfL2 : 0,
                       .tuning = tuning_};
  };
  const auto kernels = make_kernels(
      backend_, isa_, kRnnOperands, [&](int operand) { return forward.brick(operand); }, forward_hints);
  if (!kernels) return {kernels.status(), kernels.reason()};
  RnnPasses passes{.isa = std::string(kernels->of[kRnnState][1]->isa())};
  passes.forward = [g = forward, kernels = *kernels](const RnnForwardData& data) {
    over_time_on_host(g.Nb(), g.Kb, !g.x_apart(),
                      RnnForwardBody<KernelBrick, RowsByVectors>{{g, data, kernels.bricks(), {}}});
  };
  if (back == nullptr) return passes;
  const auto products = make_kernels(
      backend_, isa_, kRnnOperands, [&](int operand) { return back->product(operand); },
      [&](const BrgemmShape&, int) {
        return BrgemmHints{.c = CAccess::prefetch, .next = NextRead::near, .in_parts = true, .tuning = tuning_};
      });
  if (!products) return {products.status(), products.reason()};
  const auto updates = make_kernels(
      backend_, isa_, kRnnGradients, [&](int operand) { return back->update(operand); },
      [&](const BrgemmShape&, int) { return BrgemmHints{.in_parts = true, .tuning = tuning_}; });
  if (!updates) return {updates.status(), updates.reason()};
  const auto body_of = [g = *back, kernels = *products](const RnnBackwardData& data) {
    return RnnBackwardBody<KernelBrick, RowsByVectors>{g, data, kernels.bricks(), {}};
  };
  passes.backward_data = [=, g = *back](const RnnBackwardData& data) {
    over_time_on_host(g.Nb(), g.Db, true, body_of(data));
  };
  passes.gradient_of_x = [=, tasks = back->tasks_of_dx()](const RnnBackwardData& data) {
    parallel_league(Space(), tasks, 1, 0, body_of(data));
  };
  passes.weight_update = [g = *back, kernels = *updates](const RnnBackwardData& data) {
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
