#include "primitives/recursive/lowering/program.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace brickwork {
namespace {

constexpr std::string_view kOps[] = {
    "copy", "add",           "subtract",   "multiply",       "multiply_add",    "one_minus", "sigmoid",     "tanh",
    "relu", "sigmoid_slope", "tanh_slope", "where_positive", "sum_of_children", "add_uses",  "at_position", "outer"};

class Text {
 public:
  Text(const Program& program, const Cell& cell) : program_(program), cell_(cell) {}

  std::string stages(std::string_view name, const Stages& stages) {
    std::string text;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      text += fmt::format("{}, stage {}\n", name, s);
      for (std::size_t i = 0; i < stages[s].operands.size(); ++i) text += tape(stages[s].operands[i].tape);
      for (const Call& call : stages[s].calls) text += fmt::format("  {} = {}\n", sum(call.sum), product(call));
      text += tape(stages[s].tape);
    }
    return text;
  }

 private:
  static std::string sum(int i) { return fmt::format("sum{}", i); }

  std::string product(const Call& call) {
    std::string text;
    for (const Term& term : call.terms) {
      const std::string factor =
          call.kind == CallKind::weights ? cell_.weights()[static_cast<std::size_t>(term.weight)] : ref(call.factor);
      const bool transposed = term.transposed || call.kind == CallKind::matrix_transposed;
      text +=
          fmt::format("{}operand{} * {}{}", text.empty() ? "" : " + ", term.operand, factor, transposed ? "^T" : "");
    }
    return text;
  }

  std::string tape(const Tape& tape) {
    std::string text;
    for (const Instruction& in : tape) {
      text += fmt::format("  {} = {} {}", ref(in.to), kOps[static_cast<std::size_t>(in.op)], ref(in.a));
      if (in.b.place != Place::zero || in.op == TapeOp::subtract) text += ", " + ref(in.b);
      if (in.c.place != Place::zero) text += ", " + ref(in.c);
      if (in.op == TapeOp::at_position) text += fmt::format(" {}", in.position);
      text += in.over == Over::edge ? "   (by edge)\n" : "\n";
    }
    return text;
  }

  std::string ref(const Ref& ref) const {
    switch (ref.place) {
      case Place::zero:
        return "0";
      case Place::temporary:
        return fmt::format("t{}{}", ref.index, mode(ref));
      case Place::sum:
        return sum(ref.index) + mode(ref);
      case Place::operand:
        return fmt::format("operand{}", ref.index);
      case Place::array:
        break;
    }
    return array(ref.index) + mode(ref);
  }

  std::string array(int i) const {
    const ArrayInfo& info = program_.arrays[static_cast<std::size_t>(i)];
    const auto which = static_cast<std::size_t>(info.which);
    switch (info.kind) {
      case ArrayKind::input:
        return cell_.inputs()[which].name;
      case ArrayKind::input_gradient:
        return "d" + cell_.inputs()[which].name;
      case ArrayKind::upstream:
        return "upstream d" + cell_.states()[which].name;
      case ArrayKind::bias:
        return cell_.biases()[which];
      case ArrayKind::state:
        return cell_.states()[which].name;
      case ArrayKind::state_gradient:
        return "d" + cell_.states()[which].name;
      case ArrayKind::value:
        return fmt::format("value{}", i);
      case ArrayKind::crossing:
        return fmt::format("scratch{}", i);
    }
    return {};
  }

  static std::string mode(const Ref& ref) {
    switch (ref.mode) {
      case RowMode::parent:
      case RowMode::parents_number:
        return " of the node";
      case RowMode::child:
        return " of the child";
      case RowMode::position:
        return fmt::format(" of child {}", ref.position);
      case RowMode::parents_child:
        return fmt::format(" of the node's child {}", ref.position);
      default:
        return {};
    }
  }

  const Program& program_;
  const Cell& cell_;
};

}  // namespace

bool has(const Program& program, RowMode mode) {
  const auto in_tape = [&](const Tape& tape) {
    return std::ranges::any_of(tape, [&](const Instruction& in) {
      return in.to.mode == mode || in.a.mode == mode || in.b.mode == mode || in.c.mode == mode;
    });
  };
  const auto in_stage = [&](const Stage& stage) {
    return in_tape(stage.tape) ||
           std::ranges::any_of(stage.operands, [&](const Operand& operand) { return in_tape(operand.tape); }) ||
           std::ranges::any_of(stage.calls, [&](const Call& call) { return call.factor.mode == mode; });
  };
  return std::ranges::any_of(program.before, in_stage) || std::ranges::any_of(program.inner, in_stage) ||
         std::ranges::any_of(program.leaves, in_stage);
}

std::string to_string(const Program& program, const Cell& cell) {
  Text text(program, cell);
  return text.stages("before all levels", program.before) + text.stages("leaves", program.leaves) +
         text.stages("inner nodes", program.inner);
}

}  // namespace brickwork
