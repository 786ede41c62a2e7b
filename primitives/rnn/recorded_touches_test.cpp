// What the forward pass of a recurrent layer touches on the host is what it declares.
#include "primitives/testing/recorded_touches.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "primitives/rnn/rnn_forward_body.hpp"
#include "primitives/rnn/rnn_forward_touches.hpp"
#include "primitives/rnn/rnn_plan.hpp"
#include "primitives/testing/wrong_declarations.hpp"

namespace brickwork {

// The cells, with loads and stores that are noted.
namespace recorded_cells {

TouchChecker* checker = nullptr;  // the functions below have no other way to reach it

using V = float;

V load(const float* p) {
  checker->touch(Access::read, p);
  return 0;
}
void store(V, float* p) { checker->touch(Access::write, p); }
void store_kept(V, float* p, bool) { checker->touch(Access::write, p); }
V set(float value) { return value; }
V add(V a, V) { return a; }
V sub(V a, V) { return a; }
V mul(V a, V) { return a; }
V mul_add(V a, V, V) { return a; }
V sub_mul(V a, V, V) { return a; }
V sigmoid(V x) { return x; }
V tanh(V x) { return x; }
V not_negative(V x) { return x; }
V where_positive(V x, V) { return x; }

#define BRICKWORK_CELL inline
#include "primitives/rnn/host/rnn_cells-inl.h"
#undef BRICKWORK_CELL

}  // namespace recorded_cells

namespace {

struct RecordedLayer {
  static constexpr float kUntouched = -1;

  RnnLayerShape shape;
  RnnForwardGeometry g;
  std::vector<float> x, states, c, reset, gates, tiles, bias, weights[kRnnOperands];

  RecordedLayer(const RnnLayerShape& of, const RnnPlan& plan, bool training)
      : shape(of), g(rnn_forward_geometry(of, plan, training, sizes())) {
    const auto make = [](std::vector<float>& memory, std::int64_t size) {
      memory.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, size)));
    };
    make(x, shape.x.elements());
    make(states, shape.y.elements());
    make(c, g.c.elements());
    make(reset, g.resets() ? g.of[kRnnReset].a.elements() : 0);
    make(gates, g.Kb * g.gate_rows * g.row_of_gates());
    make(tiles, g.bn * g.row_of_gates());
    make(bias, g.Kb * g.row_of_gates());
    std::ranges::fill(tiles, kUntouched);
    std::iota(bias.begin(), bias.end(), 0.0F);
    for (int i = 0; i < kRnnOperands; ++i) make(weights[i], g.of[i].count > 0 ? g.of[i].weights_at(g.Kb, 0) : 0);
  }

  static RnnSizes sizes() {
    RnnSizes one_thread{};
    one_thread.threads = 1;
    one_thread.rows_of_x = std::numeric_limits<int>::max();
    return one_thread;
  }

  RnnForwardData data() {
    RnnForwardData d;
    d.x = x.data() + shape.first * shape.x.slot_size();
    d.states = states.data(), d.c = c.data(), d.reset = reset.data();
    d.gates = gates.data(), d.tiles = tiles.data(), d.bias = bias.data();
    for (int i = 0; i < kRnnOperands; ++i) d.weights[i] = weights[i].data();
    return d;
  }

  // The place in time of a step, and of the state before it.
  std::int64_t time(std::int64_t step) const { return g.reversed ? g.T - 1 - step : step; }
  std::int64_t slot(std::int64_t step) const { return g.reversed ? g.T + 1 - step : step; }

  static const float* in_steps(const std::vector<float>& memory, const RnnSteps& l, std::int64_t feature,
                               std::int64_t slot, std::int64_t n) {
    return &memory.at(static_cast<std::size_t>(feature / l.block * l.block_size() + slot * l.slot_size() + n * l.block +
                                               feature % l.block));
  }

  std::map<std::string, TouchChecker::Place> places() const {
    using Index = const std::int64_t*;
    const auto of_weights = [this](int operand) {
      return [this, operand](Index i, std::int64_t) {  // [k][gate][feature]
        const RnnColumns& of = g.of[operand];
        const std::int64_t of_call = of.n / g.bk;
        return &weights[operand].at(static_cast<std::size_t>(of.weights_at(i[0] / g.bk, i[1] / of_call) + i[2] * of.n +
                                                             i[1] % of_call * g.bk + i[0] % g.bk));
      };
    };
    const auto gate = [this](std::int64_t row, std::int64_t k, std::int64_t column) {
      return &gates.at(static_cast<std::size_t>(g.gates_at(k / g.bk, row) + column * g.bk + k % g.bk));
    };
    const RnnSteps& of_reset = g.of[kRnnReset].a;
    return {
        {"x", [=, this](Index i, std::int64_t) { return in_steps(x, shape.x, i[2], shape.first + time(i[0]), i[1]); }},
        {"h", [=, this](Index i, std::int64_t) { return in_steps(states, shape.y, i[2], slot(i[0]), i[1]); }},
        {"weights_x", of_weights(kRnnX)},
        {"weights_state", of_weights(kRnnState)},
        {"weights_reset", of_weights(kRnnReset)},
        {"bias",
         [this](Index i, std::int64_t) {
           return &bias.at(static_cast<std::size_t>((i[0] / g.bk * g.columns + i[1]) * g.bk + i[0] % g.bk));
         }},
        {"tile",
         [this](Index i, std::int64_t) {
           return &tiles.at(static_cast<std::size_t>((i[0] * g.columns + i[1]) * g.bk + i[2]));
         }},
        {"c0", [this](Index i, std::int64_t) { return in_steps(c, g.c, i[2], 0, i[1]); }},
        {"c",
         [this](Index i, std::int64_t) {
           return g.training ? in_steps(c, g.c, i[2], i[0], i[1]) : in_steps(c, g.c, i[1], 1, i[0]);
         }},
        {"reset",
         [=, this](Index i, std::int64_t) {
           return g.training ? in_steps(reset, of_reset, i[2], time(i[0]), i[1])
                             : in_steps(reset, of_reset, i[1], 0, i[0]);
         }},
        {"gates", [=, this](Index i, std::int64_t) {
           return g.training ? gate(time(i[0]) * g.N + i[1], i[2], i[3]) : gate(i[0], i[1], i[2]);
         }}};
  }
};

// The step itself, not a brick, copies the bias of gates to which x does not add. The copies are found in the tile by
// their values: each bias has its own number as a value.
struct RecordedRnnBrick {
  RecordingBrick brick;
  RecordedLayer* layer;

  template <class Team>
  void operator()(const Team& team, int beta, const BrgemmCall& call, void* scratch) const {
    for (float& gate : layer->tiles) {
      if (gate == RecordedLayer::kUntouched) continue;
      brick.checker->touch(Access::read, &layer->bias.at(static_cast<std::size_t>(gate)));
      brick.checker->touch(Access::write, &gate);
      gate = RecordedLayer::kUntouched;
    }
    brick(team, beta, call, scratch);
  }
};

// Notes what the cell touches. It is the last part of a task, and so ends the call.
struct RecordedRows {
  const RecordedLayer* layer;
  TouchChecker* checker;

  template <class Team>
  void operator()(const Team&, RnnCell cell, RnnHalf half, const RnnRows& r) const {
    recorded_cells::for_each_turn(r, cell, half, [&](int columns, const auto& policy) {
      for (std::int64_t i = 0; i < r.rows * r.bk; ++i) {
        policy(recorded_cells::vector_at(r, columns, i / r.bk, i % r.bk));
      }
    });
    const RnnForwardGeometry& g = layer->g;
    const RnnSteps& y = layer->shape.y;
    const std::int64_t step = g.reversed ? g.T - 1 - r.step : r.step;
    const std::int64_t at = r.h_after - layer->states.data() - (1 + r.step) * y.slot_size();
    const std::int64_t kb = (at / y.block_size() * y.block + at % y.block) / g.bk;
    const std::int64_t nb = at % y.block_size() / y.block / g.bn, of_half = half == RnnHalf::first ? 0 : 1;
    checker->end_call({.loops = {{step, step + 1}, {of_half, of_half + 1}, {kb, kb + 1}, {nb, nb + 1}},
                       .last = step == g.T - 1 && of_half == g.halves() - 1});
  }
};

std::string rnn_difference(const RnnLayerShape& shape, const RnnPlan& plan, bool training,
                           const NestTouches& declared) {
  RecordedLayer layer(shape, plan, training);
  const RnnForwardGeometry& g = layer.g;
  TouchChecker checker(declared, layer.places(),
                       [&](const std::string& tensor, const std::int64_t* i, const CallAt& at) {
                         return tensor == "tile" && i[0] >= g.N - at.loops[3].begin * g.bn;
                       });
  recorded_cells::checker = &checker;
  const auto brick = [&](int operand) { return RecordedRnnBrick{{g.brick(operand), &checker}, &layer}; };
  const RnnForwardBody<RecordedRnnBrick, RecordedRows> body{
      {g, layer.data(), {brick(kRnnX), brick(kRnnState), brick(kRnnReset)}, {&layer, &checker}}};
  body.over_time(RnnShare{0, {0, g.Kb}, {0, g.Nb()}, {0, g.Kb * g.Nb()}}, [] {});
  if (checker.calls() != g.T * g.halves() * g.Kb * g.Nb()) return "some calls are missing";
  return checker.wrong();
}

RnnLayerShape shape_of(RnnCell cell, bool reversed, std::int64_t T, std::int64_t N, std::int64_t C, std::int64_t K,
                       const RnnPlan& plan) {
  return {.cell = cell,
          .reversed = reversed,
          .T = T,
          .x = {.size = C, .block = plan.bc, .slots = T, .N = N},
          .y = {.size = K, .block = plan.bh, .slots = T + 2, .N = N}};
}

Result<NestTouches> rnn_declared(const RnnLayerShape& shape, const RnnPlan& plan, bool training) {
  return rnn_forward_touches(rnn_forward_geometry(shape, plan, training, RecordedLayer::sizes()));
}

constexpr RnnCell kAllCells[] = {RnnCell::lstm, RnnCell::gru, RnnCell::lbr_gru, RnnCell::rnn_tanh, RnnCell::rnn_relu};

TEST(RecordedTouchesOfRnn, EachCellTouchesWhatItDeclares) {
  struct Sizes {
    std::int64_t T, N, C, K;
    RnnPlan plan;
  };
  for (const auto& [T, N, C, K, plan] : {Sizes{1, 1, 1, 1, {1, 16, 16, 1}}, Sizes{3, 2, 5, 3, {5, 16, 16, 2}},
                                         Sizes{4, 5, 17, 40, {8, 16, 16, 2}}, Sizes{2, 3, 6, 40, {2, 32, 16, 3}}}) {
    for (const RnnCell cell : kAllCells) {
      for (const bool reversed : {false, true}) {
        for (const bool training : {false, true}) {
          const RnnLayerShape shape = shape_of(cell, reversed, T, N, C, K, plan);
          const auto declared = rnn_declared(shape, plan, training);
          ASSERT_TRUE(declared) << declared.reason();
          EXPECT_EQ(rnn_difference(shape, plan, training, *declared), "")
              << to_string(plan) << " cell " << static_cast<int>(cell) << " T" << T << " N" << N << " C" << C << " K"
              << K << (reversed ? " reversed" : "") << (training ? " training" : "");
        }
      }
    }
  }
}

TEST(RecordedTouchesOfRnn, RandomPlansTouchWhatTheyDeclare) {
  EXPECT_TRUE(rc::check([] {
    const auto pick = [](int low, int high) { return *rc::gen::inRange(low, high + 1); };
    const std::int64_t N = pick(1, 7), C = pick(1, 20), K = pick(1, 70), bk = 16 * pick(1, 2);
    const RnnPlan plan{pick(1, static_cast<int>(C)), bk * pick(1, 2), bk, pick(1, static_cast<int>(N)), 1};
    const RnnLayerShape shape = shape_of(*rc::gen::elementOf(std::vector(std::begin(kAllCells), std::end(kAllCells))),
                                         *rc::gen::arbitrary<bool>(), pick(1, 4), N, C, K, plan);
    const bool training = *rc::gen::arbitrary<bool>();
    EXPECT_EQ(rnn_difference(shape, plan, training, *rnn_declared(shape, plan, training)), "") << to_string(plan);
  }));
}

std::vector<std::string> rnn_not_found(RnnCell cell) {
  const RnnPlan plan{3, 32, 16, 2, 1};
  const RnnLayerShape shape = shape_of(cell, false, 3, 3, 4, 20, plan);
  return declarations_not_found(*rnn_declared(shape, plan, false),
                                [&](const NestTouches& wrong) { return rnn_difference(shape, plan, false, wrong); });
}

// Some say the same: an index ends where the right axis ends, only point 0 is in range where a half or the first step
// is meant, an LSTM has one half, a GRU's reset state has one column of gates, and each state is written once.
TEST(RecordedTouchesOfRnn, EachWrongDeclarationIsFound) {
  std::vector<std::string> same = {"h is reduced"};
  for (const char* axis : {"n", "c", "j", "gate", "gate_of_x", "gate_of_state", "gate_of_reset", "row", "feature"}) {
    same.push_back(std::string("size of ") + axis);
  }
  std::vector<std::string> of_lstm = same, of_gru = same;
  for (const char* what : {"block of half", "no loop of half", "larger factor 0 of c0[0]"}) of_lstm.push_back(what);
  for (const char* index :
       {"x[3]", "weights_x[3]", "h[3]", "weights_state[3]", "bias[2]", "gates[3]", "reset[2]", "weights_reset[1]"}) {
    of_gru.push_back(std::string("larger factor 0 of ") + index);
  }
  of_gru.push_back("no term 0 of weights_reset[1]");
  EXPECT_THAT(rnn_not_found(RnnCell::lstm), testing::UnorderedElementsAreArray(of_lstm));
  EXPECT_THAT(rnn_not_found(RnnCell::gru), testing::UnorderedElementsAreArray(of_gru));
}

TEST(RecordedTouchesOfRnn, StepsThatShareACallWithXAreNoNest) {
  const RnnPlan plan{5, 32, 16, 2, 2};
  const auto declared = rnn_declared(shape_of(RnnCell::lstm, false, 3, 4, 10, 40, plan), plan, false);
  ASSERT_FALSE(declared);
  EXPECT_EQ(declared.status(), Status::unsupported);
  EXPECT_THAT(declared.reason(), testing::HasSubstr("products with x have calls of their own"));
}

}  // namespace
}  // namespace brickwork
