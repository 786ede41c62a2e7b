#include "primitives/rnn/rnn_forward_touches.hpp"

#include <algorithm>

namespace brickwork {
namespace {

enum RnnAxis {
  kStep,
  kHalf,
  kState,
  kSequence,
  kOfX,
  kOfState,
  kGate,
  kGateOfX,
  kGateOfState,
  kGateOfReset,
  kRow,
  kOfBlock
};

std::vector<Axis> rnn_axes(const RnnForwardGeometry& g) {
  const auto features = [](const RnnSteps& steps) { return steps.blocks() * steps.block; };
  const auto gates = [&](int operand) { return std::max<std::int64_t>(1, g.of[operand].count); };
  return {{"step", g.T, 0},
          {"half", g.halves(), 1},
          {"k", g.Kb * g.bk, 2, g.bk},
          {"n", g.N, 3, g.bn},
          {"c", features(g.of[kRnnX].a)},
          {"j", features(g.of[kRnnState].a)},
          {"gate", g.columns},
          {"gate_of_x", gates(kRnnX)},
          {"gate_of_state", gates(kRnnState)},
          {"gate_of_reset", gates(kRnnReset)},
          {"row", g.bn},
          {"feature", g.bk}};
}

// Adds tensors to the declaration.
struct RnnDeclaration {
  NestTouches nest;
  bool two_halves;

  TouchedIndex all(RnnAxis axis) const { return {{{axis}}, 0, nest.axes[axis].size}; }
  static TouchedIndex only(std::int64_t value, std::int64_t size) { return {{}, value, size}; }
  TouchedIndex own_features() const { return {{{kState}}, 0, nest.axes[kOfState].size}; }  // among those of all blocks
  // Only in this half: points of the other half are outside.
  static TouchedIndex in(RnnHalf half) { return {{{kHalf}}, half == RnnHalf::first ? 0 : -1, 1}; }

  void add(const char* name, Touch touch, RnnHalf half, std::vector<TouchedIndex> index) {
    if (two_halves) index.push_back(in(half));
    nest.tensors.push_back({name, touch, std::move(index)});
  }
};

void declare_products(RnnDeclaration& d, const RnnForwardGeometry& g) {
  const TouchedIndex before{{{kStep}}, 0, g.T + 1};
  d.add("x", Touch::read, RnnHalf::first, {d.all(kStep), d.all(kSequence), d.all(kOfX)});
  d.add("weights_x", Touch::read, RnnHalf::first, {d.all(kState), d.all(kGateOfX), d.all(kOfX)});
  d.add("h", Touch::read, RnnHalf::first, {before, d.all(kSequence), d.all(kOfState)});
  d.add("weights_state", Touch::read, RnnHalf::first, {d.all(kState), d.all(kGateOfState), d.all(kOfState)});
  d.add("bias", Touch::read, RnnHalf::first, {d.all(kState), d.all(kGate)});
}

void declare_lstm_state(RnnDeclaration& d, const RnnForwardGeometry& g) {
  if (g.training) {
    d.add("c", Touch::read, RnnHalf::first, {{{{kStep}}, 0, g.T + 1}, d.all(kSequence), d.all(kState)});
    d.add("c", Touch::write, RnnHalf::first, {{{{kStep}}, 1, g.T + 1}, d.all(kSequence), d.all(kState)});
    return;
  }
  // The first step reads c0, later ones what the step before has left in c.
  d.add("c0", Touch::read, RnnHalf::first, {{{{kStep}}, 0, 1}, d.all(kSequence), d.all(kState)});
  d.add("c", Touch::reduce, RnnHalf::first, {d.all(kSequence), d.all(kState)});
}

// Both halves have the gates and the reset state in memory, in training those of all steps.
void declare_gru_halves(RnnDeclaration& d, const RnnForwardGeometry& g) {
  const auto of_step = [&](std::vector<TouchedIndex> index) {
    if (g.training) index.insert(index.begin(), d.all(kStep));
    return index;
  };
  const auto gate = [&](std::int64_t number) {
    return of_step({d.all(kSequence), d.all(kState), d.only(number, g.columns)});
  };
  const TouchedIndex before{{{kStep}}, 0, g.T + 1};
  d.add("gates", Touch::write, RnnHalf::first, of_step({d.all(kSequence), d.all(kState), d.all(kGate)}));
  d.add("reset", Touch::write, RnnHalf::first, of_step({d.all(kSequence), d.own_features()}));
  d.add("reset", Touch::read, RnnHalf::second, of_step({d.all(kSequence), d.all(kOfState)}));
  d.add("weights_reset", Touch::read, RnnHalf::second, {d.all(kState), d.all(kGateOfReset), d.all(kOfState)});
  d.add("gates", Touch::read, RnnHalf::second, gate(0));
  d.add("gates", Touch::reduce, RnnHalf::second, gate(g.of[kRnnReset].first));
  d.add("h", Touch::read, RnnHalf::second, {before, d.all(kSequence), d.own_features()});
}

bool keeps_gates(const RnnForwardGeometry& g) {
  return g.training && (g.cell == RnnCell::lstm || g.cell == RnnCell::lbr_gru);
}

}  // namespace

Result<NestTouches> rnn_forward_touches(const RnnForwardGeometry& g) {
  if (g.x_apart()) {
    return Result<NestTouches>::unsupported(
        "products with x have calls of their own, between those of the steps, so that no nest has both");
  }
  RnnDeclaration d{{{{.name = "step", .extent = g.T, .kind = LoopKind::reduction},
                     {.name = "half", .extent = g.halves(), .kind = LoopKind::reduction},
                     {.name = "kb", .extent = g.Kb},
                     {.name = "nb", .extent = g.Nb()}},
                    rnn_axes(g),
                    {}},
                   g.resets()};
  declare_products(d, g);
  if (g.cell == RnnCell::lstm) declare_lstm_state(d, g);
  // The state that lbr_gru mixes with the new one is among those of the product.
  if (g.resets()) declare_gru_halves(d, g);
  if (g.in_tile()) d.add("tile", Touch::write, RnnHalf::first, {d.all(kRow), d.all(kGate), d.all(kOfBlock)});
  if (keeps_gates(g)) {
    d.add("gates", Touch::write, RnnHalf::first, {d.all(kStep), d.all(kSequence), d.all(kState), d.all(kGate)});
  }
  d.add("h", Touch::write, g.resets() ? RnnHalf::second : RnnHalf::first,
        {{{{kStep}}, 1, g.T + 1}, d.all(kSequence), d.own_features()});
  return d.nest;
}

}  // namespace brickwork
