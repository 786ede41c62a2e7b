#include "rnn/rnn_on_host.hpp"

#include <array>
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
constexpr std::int64_t kRowsOfX = 256;  // of a call: enough to amortise it
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

// Of both betas.
struct Kernels {
  BrgemmKernelPtr of_beta[2];
  KernelBrick brick() const { return {{of_beta[0].get(), of_beta[1].get()}}; }
};

// Makes bricks, and remembers the first that there is none of.
class Bricks {
 public:
  Bricks(Backend backend, Isa isa) : backend_(backend), isa_(isa) {}

  Kernels make(BrgemmShape shape, const BrgemmHints& hints) {
    Kernels kernels;
    for (shape.beta = 0; shape.beta < 2; ++shape.beta) {
      auto made = make_brgemm(shape, hints, backend_, isa_);
      if (made) {
        kernels.of_beta[shape.beta] = *std::move(made);
      } else if (status_ == Status::ok) {
        status_ = made.status(), reason_ = made.reason();
      }
    }
    return kernels;
  }
  // The passes, or why a brick is refused.
  Result<RnnPasses> result(RnnPasses passes) const {
    if (status_ != Status::ok) return {status_, reason_};
    return passes;
  }

 private:
  Backend backend_;
  Isa isa_;
  Status status_ = Status::ok;
  std::string reason_;
};

// Of the operands, in turn.
using AllKernels = std::array<Kernels, kRnnGradients>;

RnnBricks<KernelBrick> bricks_of(const AllKernels& kernels) {
  return RnnBricks<KernelBrick>::make([&](int operand) { return kernels[static_cast<std::size_t>(operand)].brick(); });
}

AllKernels forward_kernels(const RnnForwardGeometry& g, Bricks& bricks, const SimdTuning& tuning) {
  AllKernels kernels;
  const MachineModel machine = this_machine(Space().concurrency());
  const bool far = !machine.l3_holds(static_cast<double>(g.bytes_of_recurrence()));
  const NextRead next = g.bn <= kFewSequences ? NextRead::unsaid : far ? NextRead::far : NextRead::near;
  for (int operand = 0; operand < kRnnOperands; ++operand) {
    const RnnColumns& of = g.of[operand];
    if (of.count == 0) continue;
    const BrgemmShape shape = g.brick(operand);
    const std::int64_t bytes_of_k = of.a.blocks() * of.a.block * static_cast<std::int64_t>(sizeof(float));
    const auto l2 = static_cast<double>(machine.l2_bytes);
    const auto fills = [&](int rows, double share) { return static_cast<double>(rows * bytes_of_k) > share * l2; };
    const bool weights_fill = fills(shape.n, kWeightsOfL2);
    const BrgemmHints hints{.next = next,
                            .in_parts = weights_fill || !fills(shape.m, kRowsOfL2),
                            .b_of_part = weights_fill ? machine.l2_bytes / kPartsOfL2 : 0,
                            .tuning = tuning};
    kernels[static_cast<std::size_t>(operand)] = bricks.make(shape, hints);
  }
  return kernels;
}

}  // namespace

Result<RnnPasses> RnnOnHost::passes(const RnnForwardGeometry& forward, const RnnBackwardGeometry* back) const {
  Bricks bricks(backend_, isa_);
  RnnPasses passes;
  const AllKernels kernels = forward_kernels(forward, bricks, tuning_);
  if (const auto& state = kernels[kRnnState].of_beta[1]) passes.isa = state->isa();
  passes.forward = [=, g = forward](const RnnForwardData& data) {
    over_time_on_host(g.Nb(), g.Kb, !g.x_apart(),
                      RnnForwardBody<KernelBrick, RowsByVectors>{{g, data, bricks_of(kernels), {}}});
  };
  if (back == nullptr) return bricks.result(passes);
  AllKernels products, updates;
  for (std::size_t operand = 0; operand < kRnnGradients; ++operand) {
    const int i = static_cast<int>(operand);
    if (back->of[operand].size == 0) continue;
    updates[operand] = bricks.make(back->update(i), {.in_parts = true, .tuning = tuning_});
    if (i == kRnnOnes) continue;
    products[operand] = bricks.make(
        back->product(i), {.c = CAccess::prefetch, .next = NextRead::near, .in_parts = true, .tuning = tuning_});
  }
  const auto body_of = [=, g = *back](const RnnBackwardData& data) {
    return RnnBackwardBody<KernelBrick, RowsByVectors>{g, data, bricks_of(products), {}};
  };
  passes.backward_data = [=, g = *back](const RnnBackwardData& data) {
    over_time_on_host(g.Nb(), g.Db, true, body_of(data));
  };
  passes.gradient_of_x = [=, tasks = back->tasks_of_dx()](const RnnBackwardData& data) {
    parallel_league(Space(), tasks, 1, 0, body_of(data));
  };
  passes.weight_update = [=, g = *back](const RnnBackwardData& data) {
    const RnnUpdateBody<KernelBrick> body{g, data, bricks_of(updates), updates[kRnnOnes].brick()};
    parallel_league(Space(), body.tasks(), 1, 0, body);
  };
  return bricks.result(passes);
}

RnnSizes RnnOnHost::sizes(std::int64_t, std::int64_t bn, std::int64_t) const {
  const std::int64_t threads = Space().concurrency();
  return {.apart = false,
          .threads = threads,
          .rows_of_x = kRowsOfX,
          .bn = bn,
          .shares = 1,
          .bytes_of_weights = this_machine(1).l2_bytes / kShareOfL2OfWeights,
          .rows_of_dx = kRowsOfDx,
          .rows_of_update = kRowsOfUpdate,
          .tasks_of_dx = kTasksOfAThread * threads,
          .tasks_of_update = 1};
}

}  // namespace brickwork
