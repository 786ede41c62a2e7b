#include "rnn/rnn_on_host.hpp"

#include <string>

#include "league.hpp"
#include "light_barrier.hpp"
#include "machine_model.hpp"
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

// On the host's threads: one parallel region. A thread is a worker and has the same tasks at every step. Where blocks
// of sequences can be dealt evenly each thread has its own and waits for nobody; else its weights stay with it, and it
// waits for the others' share at the end of each half. before(thread, threads, step) does a thread's share of what else
// a step needs, and says whether there was any.
template <class Body, class Before>
void over_time_on_host(const RnnTurns& turns, const Body& body, const Before& before) {
  const int threads = Space().concurrency();
  const bool own = turns.alone && turns.blocks % threads == 0;
  LightBarrier barrier(threads);
  const auto all_steps = [&](const auto& team, std::int64_t, void*) {
    const std::int64_t thread = team.rank();
    const auto share = [=](std::int64_t size) {
      return LoopRange{size * thread / threads, size * (thread + 1) / threads};
    };
    const LoopRange blocks = own ? share(turns.blocks) : LoopRange{0, turns.blocks};
    const std::int64_t all = blocks.size() * turns.tasks_of_block;
    const LoopRange tasks = own ? LoopRange{0, all} : share(all);
    for (std::int64_t step = 0; step < turns.steps; ++step) {
      if (before(thread, threads, step)) barrier.wait();
      for (int i = 0; i < turns.halves; ++i) {
        body(OneThread{}, RnnTurn{step, RnnTurns::half(i), blocks, tasks, thread}, nullptr);
        if (!own) barrier.wait();
      }
    }
  };
  parallel_league(Space(), 1, threads, 0, all_steps);
}

struct RowsByVectors {
  template <class Team>
  void operator()(const Team&, RnnCell cell, RnnHalf half, const RnnRows& rows) const {
    rnn_rows(cell, half, rows);
  }
  template <class Team>
  void operator()(const Team&, RnnCell cell, RnnHalf half, const RnnBackwardRows& rows) const {
    rnn_backward_rows(cell, half, rows);
  }
};

// Makes bricks, and remembers the first that there is none of.
class Bricks {
 public:
  Bricks(Backend backend, Isa isa) : backend_(backend), isa_(isa) {}

  BrgemmKernelPtr make(const BrgemmShape& shape, const BrgemmHints& hints) {
    auto made = make_brgemm(shape, hints, backend_, isa_);
    if (made) return *std::move(made);
    if (status_ == Status::ok) status_ = made.status(), reason_ = made.reason();
    return nullptr;
  }
  // The pass, or why a brick is refused.
  template <class Pass, class Made>
  Result<std::shared_ptr<const Pass>> result(std::shared_ptr<const Made> made) const {
    if (status_ != Status::ok) return {status_, reason_};
    return std::shared_ptr<const Pass>(std::move(made));
  }

 private:
  Backend backend_;
  Isa isa_;
  Status status_ = Status::ok;
  std::string reason_;
};

struct ForwardPass final : RnnForwardPass {
  RnnForwardGeometry g;
  BrgemmKernelPtr x, state, reset;

  void run(const RnnForwardData& data) const override {
    const RnnForwardBody<KernelBrick, RowsByVectors> body{
        g, data, {{x.get(), nullptr}}, {{nullptr, state.get()}}, {{nullptr, reset.get()}}, {}};
    over_time_on_host(g.turns(), body, [&](std::int64_t thread, std::int64_t threads, std::int64_t step) {
      const std::int64_t tasks = body.tasks_of_x(step);
      for (std::int64_t i = thread; i < tasks; i += threads) body.add_x_of_chunk(OneThread{}, step, i, nullptr);
      return tasks > 0;
    });
  }
  std::string_view isa() const override { return state->isa(); }
};

struct BackwardPass final : RnnBackwardPass {
  struct Update {
    BrgemmKernelPtr first, other;
    KernelBrick brick() const { return {{first.get(), other.get()}}; }
  };
  RnnBackwardGeometry g;
  BrgemmKernelPtr x, state, reset, bias_update;
  Update update_of_x, update_of_state, update_of_reset;

  void run_data(const RnnBackwardData& data) const override {
    over_time_on_host(g.turns(),
                      RnnBackwardBody<KernelBrick, RowsByVectors>{
                          g, data, {{nullptr, state.get()}}, {{reset.get(), reset.get()}}, {}},
                      [](auto...) { return false; });
  }
  void run_x(const RnnBackwardData& data, float* dx, bool accumulate) const override {
    const std::int64_t groups = ceil_div(g.rows(), g.rows_of_dx);
    const std::int64_t shares = clamp(ceil_div(kTasksOfAThread * Space().concurrency(), groups), 1, g.of_x.blocks());
    const RnnGradientOfXBody<KernelBrick> body{g, data, {{nullptr, x.get()}}, dx, accumulate, shares};
    parallel_league(Space(), body.tasks(), 1, 0, body);
  }
  void run_update(const RnnBackwardData& data) const override {
    const RnnUpdateBody<KernelBrick> body{
        g, data, update_of_x.brick(), update_of_state.brick(), update_of_reset.brick(), {{bias_update.get(), nullptr}}};
    parallel_league(Space(), body.tasks(), 1, 0, body);
  }
};

}  // namespace

Result<std::shared_ptr<const RnnForwardPass>> RnnOnHost::forward(const RnnForwardGeometry& g) const {
  const auto pass = std::make_shared<ForwardPass>();
  pass->g = g;
  Bricks bricks(backend_, isa_);
  const MachineModel machine = this_machine(Space().concurrency());
  const bool far = !machine.l3_holds(static_cast<double>(g.bytes_of_recurrence()));
  const NextRead next = g.bn <= kFewSequences ? NextRead::unsaid : far ? NextRead::far : NextRead::near;
  const auto brick = [&](const BrgemmShape& shape, const RnnSteps& a) {
    const std::int64_t bytes_of_k = a.blocks() * a.block * static_cast<std::int64_t>(sizeof(float));
    const auto l2 = static_cast<double>(machine.l2_bytes);
    const auto fills = [&](int rows, double share) { return static_cast<double>(rows * bytes_of_k) > share * l2; };
    const bool weights_fill = fills(shape.n, kWeightsOfL2);
    return bricks.make(shape, {.next = next,
                               .in_parts = weights_fill || !fills(shape.m, kRowsOfL2),
                               .b_of_part = weights_fill ? machine.l2_bytes / kPartsOfL2 : 0,
                               .tuning = tuning_});
  };
  pass->x = brick(g.x_brick(), g.x);
  pass->state = brick(g.state_brick(), g.y);
  if (g.resets()) pass->reset = brick(g.reset_brick(), g.reset);
  return bricks.result<RnnForwardPass>(std::shared_ptr<const ForwardPass>(pass));
}

Result<std::shared_ptr<const RnnBackwardPass>> RnnOnHost::backward(const RnnBackwardGeometry& g) const {
  const auto pass = std::make_shared<BackwardPass>();
  pass->g = g;
  Bricks bricks(backend_, isa_);
  const auto product = [&](const BrgemmShape& shape) {
    return bricks.make(shape, {.c = CAccess::prefetch, .next = NextRead::near, .in_parts = true, .tuning = tuning_});
  };
  const auto update = [&](const RnnGradientColumns& of) {
    const auto make = [&](int beta) { return bricks.make(g.update(of, beta), {.in_parts = true, .tuning = tuning_}); };
    return BackwardPass::Update{make(0), make(1)};
  };
  pass->x = product(g.x_product());
  pass->state = product(g.state_product(g.of_state));
  pass->update_of_x = update(g.of_x);
  pass->update_of_state = update(g.of_state);
  if (g.forward.resets()) {
    pass->reset = product(g.state_product(g.of_reset));
    pass->update_of_reset = update(g.of_reset);
  }
  pass->bias_update = bricks.make(g.bias_update(), {.tuning = tuning_});
  return bricks.result<RnnBackwardPass>(std::shared_ptr<const BackwardPass>(pass));
}

std::int64_t RnnOnHost::rows_of_x() const { return kRowsOfX; }

RnnBackwardSizes RnnOnHost::backward_sizes(const RnnForwardGeometry& g) const {
  return {.bn = g.bn,
          .shares = 1,
          .bytes_of_weights = this_machine(1).l2_bytes / kShareOfL2OfWeights,
          .rows_of_dx = kRowsOfDx,
          .rows_of_update = kRowsOfUpdate,
          .tasks_of_update = 1};
}

std::int64_t RnnOnHost::workers(std::int64_t) const { return Space().concurrency(); }

}  // namespace brickwork
