#ifdef BRICKWORK_HAS_ONEDNN
#include "baselines/onednn/level_gradients.hpp"

#include <algorithm>
#include <ranges>
#include <set>
#include <stdexcept>

namespace brickwork::onednn {
namespace {

class Reversal {
 public:
  explicit Reversal(const LevelProgram& program) : program_(program) {}

  GradientSteps reverse(const std::vector<int>& inputs) {
    for (const Step& step : program_.steps | std::views::reverse) {
      steps_.emplace_back();
      for (const int p : step.products) reverse_product(p);
      for (const Element& e : step.elements | std::views::reverse) reverse(e);
    }
    for (const int input : inputs) {
      const Ref to{Place::input, input, -1, Over::node, false};
      if (!is_written(to)) put({.op = GradientOp::zero, .to = to, .from = to, .value = to});
    }
    return std::move(steps_);
  }

 private:
  void reverse_product(int p) {
    const ProductGroup& product = program_.products[static_cast<std::size_t>(p)];
    bool adds = false;
    for (int i = 0; i < static_cast<int>(product.operands.size()); ++i) {
      adds = mark_written({Place::operand, p, i, product.over, product.matrix});
    }
    steps_.back().products.push_back({p, adds});
  }

  void reverse(const Element& e) {
    if (e.curve != Curve::none) {
      put({.op = GradientOp::slope,
           .curve = e.curve,
           .over = e.over,
           .matrix = e.matrix,
           .to = e.to,
           .from = e.to,
           .value = e.to});
    }
    if (e.kind == Element::Kind::sum_of_children) return pass_on(GradientOp::add, Over::edge, e, e.a, {});
    if (e.kind == Element::Kind::times_matrix) {
      if (!is_written(e.b)) throw std::logic_error("a cell multiplies by a matrix that is no state");
      put({.adds = mark_written(e.a), .over = e.over, .to = e.a, .from = e.to, .value = e.b, .times_matrix = &e});
      return;
    }
    switch (e.op) {
      case ElementOp::copy:
        return pass_on(GradientOp::add, e.over, e, e.a, {});
      case ElementOp::one_minus:
        return pass_on(GradientOp::subtract, e.over, e, e.a, {});
      case ElementOp::add:
        pass_on(GradientOp::add, e.over, e, e.a, {});
        return pass_on(GradientOp::add, e.over, e, e.b, {});
      case ElementOp::subtract:
        pass_on(GradientOp::add, e.over, e, e.a, {});
        return pass_on(GradientOp::subtract, e.over, e, e.b, {});
      case ElementOp::multiply:
        pass_on(GradientOp::multiply, e.over, e, e.a, e.b);
        return pass_on(GradientOp::multiply, e.over, e, e.b, e.a);
    }
  }

  // To an argument of e, from its result. An argument in the result's place has its gradient there already.
  void pass_on(GradientOp op, Over over, const Element& e, const Ref& argument, const Ref& value) {
    if (argument.place == Place::zero || argument == e.to) return;
    put({.op = op,
         .adds = mark_written(argument),
         .over = over,
         .matrix = e.matrix,
         .to = argument,
         .from = e.to,
         .value = value});
  }

  void put(GradientElement e) { steps_.back().elements.push_back(e); }

  bool is_written(const Ref& ref) const {
    return ref.place == Place::state || ref.place == Place::child || ref.place == Place::each ||
           std::ranges::find(written_, ref) != written_.end();
  }
  bool mark_written(const Ref& ref) {  // returns whether it was
    const bool before = is_written(ref);
    if (!before) written_.push_back(ref);
    return before;
  }

  const LevelProgram& program_;
  GradientSteps steps_;
  std::vector<Ref> written_;
};

}  // namespace

GradientSteps level_gradients(const LevelProgram& program, const std::vector<int>& inputs) {
  return Reversal(program).reverse(inputs);
}

std::vector<int> read_by_elements(const LevelProgram& program, Place place) {
  std::set<int> read;
  for (const Step& step : program.steps) {
    for (const Element& e : step.elements) {
      for (const Ref& ref : {e.a, e.b}) {
        if (ref.place == place) read.insert(ref.which);
      }
    }
  }
  return {read.begin(), read.end()};
}

}  // namespace brickwork::onednn
#endif
