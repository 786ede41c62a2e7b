#include "primitives/recursive/lowering/stages.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "primitives/recursive/lowering/stage_numbers.hpp"
#include "primitives/recursive/lowering/temporaries.hpp"

namespace brickwork {
namespace {

using Kind = ExprKind;

TapeOp op_of(Kind kind) {
  switch (kind) {
    case Kind::add:
      return TapeOp::add;
    case Kind::subtract:
      return TapeOp::subtract;
    case Kind::multiply:
      return TapeOp::multiply;
    case Kind::one_minus:
      return TapeOp::one_minus;
    case Kind::sigmoid:
      return TapeOp::sigmoid;
    case Kind::tanh:
      return TapeOp::tanh;
    case Kind::relu:
      return TapeOp::relu;
    case Kind::sigmoid_slope:
      return TapeOp::sigmoid_slope;
    case Kind::tanh_slope:
      return TapeOp::tanh_slope;
    case Kind::where_positive:
      return TapeOp::where_positive;
    case Kind::sum_of_children:
      return TapeOp::sum_of_children;
    case Kind::at_position:
      return TapeOp::at_position;
    case Kind::outer:
      return TapeOp::outer;
    default:
      throw std::logic_error("this expression is no operation of a tape");
  }
}

bool is_activation(Kind kind) { return kind == Kind::sigmoid || kind == Kind::tanh || kind == Kind::relu; }

std::vector<int> expressions(const std::vector<Output>& outputs) {
  std::vector<int> all;
  for (const Output& output : outputs) all.push_back(output.e);
  return all;
}

// An operation on edges reads a node's row through the edge.
Ref seen_from(Ref ref, Over over) {
  if (over != Over::edge || ref.over != Over::node) return ref;
  if (ref.mode == RowMode::own) ref.mode = RowMode::parent;
  if (ref.mode == RowMode::number) ref.mode = RowMode::parents_number;
  if (ref.mode == RowMode::position) ref.mode = RowMode::parents_child;
  return ref;
}

class StageLowering {
 public:
  StageLowering(const ExprGraph& g, const std::vector<Output>& outputs, bool fuse, const ArraysOfLowering& arrays)
      : g_(g), outputs_(outputs), fuse_(fuse), arrays_(arrays), numbers_(g, expressions(outputs), fuse, [&](int e) {
          return arrays.made_before(e) >= 0;
        }) {}

  Stages run() {
    Stages stages;
    for (stage_ = 0; stage_ <= numbers_.last(); ++stage_) stages.push_back(lower_stage());
    return stages;
  }

 private:
  int crossing_array(int e) {
    const auto found = crossing_arrays_.find(e);
    return found != crossing_arrays_.end() ? found->second
                                           : crossing_arrays_.emplace(e, arrays_.new_crossing(e)).first->second;
  }
  static Ref row_of(int array, Over over) {
    return {.place = Place::array, .index = array, .mode = RowMode::own, .over = over};
  }
  Over over_of(int e) const { return std::max(g_[e].over, Over::node); }

  // Where the value of e lies or goes in memory, if it has a place there.
  std::optional<Ref> place_of(int e) {
    if (const int array = arrays_.made_before(e); array >= 0) return row_of(array, over_of(e));
    if (numbers_.is_given(e)) return arrays_.given(g_[e]);
    if (numbers_.crossings().contains(e)) return row_of(crossing_array(e), over_of(e));
    const auto output =
        std::ranges::find_if(outputs_, [&](const Output& o) { return o.e == e && o.to.over == over_of(e); });
    if (output != outputs_.end()) return output->to;
    return {};
  }

  Stage lower_stage() {
    now_ = {};
    made_.clear();
    operand_of_.clear();
    tape_ = &now_.tape;
    for (const int e : numbers_.crossings()) {
      if (numbers_.of(e) == stage_) value(e);
    }
    for (const Output& output : outputs_) {
      if (std::max(numbers_.of(output.e), 0) != stage_) continue;
      const Ref from = value(output.e);
      if (from != output.to && place_of(output.e) != output.to) copy(from, output.to, g_[output.e].matrix);
    }
    now_.temporaries = share_temporaries(now_);
    return now_;
  }

  void copy(const Ref& from, const Ref& to, bool matrix) {
    tape_->push_back({.op = TapeOp::copy,
                      .over = to.over,
                      .matrix = matrix,
                      .to = to,
                      .a = seen_from(from, to.over),
                      .b = {},
                      .c = {}});
  }

  // Where an operation on the tape finds the value of e: in memory, in a sum of products, or made by the tape.
  Ref value(int e) {
    if (const auto made = made_.find(e); made != made_.end()) return made->second;
    const bool here =
        numbers_.of(e) == stage_ || (numbers_.of(e) >= 0 && numbers_.is_gathered(e) && !numbers_.is_given(e));
    const Ref ref = here ? make(e) : place_of(e).value();
    made_.emplace(e, ref);
    return ref;
  }

  Ref make(int e) {
    const ExprNode& node = g_[e];
    if (is_product(node.kind)) return to_place(e, sum_of(node, {e}));
    if (node.kind == Kind::add) return make_add(e);
    if (node.kind == Kind::upstream) {
      const Ref given = arrays_.given(node);
      const int edges = arrays_.state_gradients(node.which);
      return put(e, edges < 0 ? TapeOp::copy : TapeOp::add_uses, given, edges < 0 ? Ref{} : row_of(edges, Over::edge));
    }
    if (is_activation(node.kind)) return make_activation(e);
    const Ref a = StageNumbers::is_read_in_memory(node, node.a) ? place_of(node.a).value() : value(node.a);
    const Ref b = node.b < 0 ? Ref{} : value(node.b);
    return put(e, op_of(node.kind), a, b);
  }

  // A sum that also has to be in memory is copied there.
  Ref to_place(int e, const Ref& sum) {
    const auto place = place_of(e);
    if (place) copy(sum, *place, g_[e].matrix);
    return sum;
  }

  Ref put(int e, TapeOp op, const Ref& a, const Ref& b, const Ref& c = {}) {
    const Over over = over_of(e);
    const bool reduces = op == TapeOp::sum_of_children || op == TapeOp::add_uses;
    const auto seen = [&](const Ref& ref) { return reduces ? ref : seen_from(ref, over); };
    const Ref to = target_ ? *target_ : to_of(e);
    target_.reset();
    tape_->push_back({.op = op,
                      .over = over,
                      .matrix = g_[e].matrix,
                      .to = to,
                      .a = seen(a),
                      .b = seen(b),
                      .c = seen(c),
                      .position = g_[e].position});
    return to;
  }
  Ref to_of(int e) {
    if (tape_ == &now_.tape) {
      if (const auto place = place_of(e)) return *place;
    }
    return new_temporary(e);
  }
  Ref new_temporary(int e) {
    return {.place = Place::temporary, .index = temporaries_++, .mode = RowMode::own, .over = over_of(e)};
  }

  // The terms of an addition, and of those in it that nobody else reads.
  void terms_of(int e, std::vector<int>& terms, bool first = true) {
    const ExprNode& node = g_[e];
    const bool joins =
        fuse_ && node.kind == Kind::add && numbers_.of(e) == stage_ && numbers_.is_used_once(e) && !place_of(e);
    if (!first && !joins) return terms.push_back(e);
    for (const int arg : {node.a, node.b}) {
      if (over_of(arg) == over_of(e)) {
        terms_of(arg, terms, false);
      } else {
        terms.push_back(arg);
      }
    }
  }

  // The values whose sum is e: products that join in one call are one of them.
  std::vector<Ref> addends(int e, std::vector<int>& rest) {
    std::vector<int> terms, products;
    terms_of(e, terms);
    for (const int term : terms) {
      const Kind kind = g_[term].kind;
      const bool joins = fuse_ && (kind == Kind::times_weight || kind == Kind::times_weight_transposed) &&
                         numbers_.of(term) == stage_ && numbers_.is_used_once(term) && over_of(term) == over_of(e) &&
                         !numbers_.is_given(term) && !place_of(term);
      (joins ? products : rest).push_back(term);
    }
    if (products.empty()) return {};
    return {sum_of(g_[products.front()], products)};
  }

  Ref make_add(int e) {
    std::vector<int> rest;
    std::vector<Ref> sums = addends(e, rest);
    if (rest.empty()) return to_place(e, sums.front());
    std::optional<Ref> sum;
    if (!sums.empty()) sum = sums.front();
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (!sum) {
        sum = value(rest[i]);
        continue;
      }
      sum = put_addition(e, *sum, rest[i], i + 1 == rest.size());
    }
    return *sum;
  }

  // Adds a term of e. A product of two factors that nobody else reads joins the addition.
  Ref put_addition(int e, const Ref& sum, int term, bool last) {
    const ExprNode& node = g_[term];
    const bool multiplies = fuse_ && node.kind == Kind::multiply && numbers_.is_used_once(term) &&
                            !made_.contains(term) && numbers_.of(term) == stage_ && over_of(term) == over_of(e) &&
                            !place_of(term);
    const Ref a = multiplies ? value(node.a) : sum, b = multiplies ? value(node.b) : value(term);
    if (!last) target_ = new_temporary(e);
    return put(e, multiplies ? TapeOp::multiply_add : TapeOp::add, a, b, multiplies ? sum : Ref{});
  }

  // A curve of a sum of up to three values is one operation.
  Ref make_activation(int e) {
    const int of = g_[e].a;
    const bool joins = fuse_ && g_[of].kind == Kind::add && numbers_.of(of) == stage_ && numbers_.is_used_once(of) &&
                       over_of(of) == over_of(e) && !numbers_.is_given(of) && !place_of(of) && !made_.contains(of);
    if (!joins) return put(e, op_of(g_[e].kind), value(of), {});
    std::vector<int> rest;
    std::vector<Ref> sum = addends(of, rest);
    for (const int term : rest) {
      if (sum.size() == 3) {
        const Ref two = sum.back();
        sum.back() = put_addition(of, two, term, false);
      } else {
        sum.push_back(value(term));
      }
    }
    sum.resize(3);
    return put(e, op_of(g_[e].kind), sum[0], sum[1], sum[2]);
  }

  // The sum of these products with weights, or one product with a matrix, in one call.
  Ref sum_of(const ExprNode& node, const std::vector<int>& products) {
    const Over over = std::max(node.over, Over::node);
    Call call{
        .kind = CallKind::weights, .over = over, .matrix = node.matrix, .sum = now_.sums(), .terms = {}, .factor = {}};
    for (const int e : products) {
      const ExprNode& product = g_[e];
      call.terms.push_back({.operand = operand(product.a, over),
                            .weight = product.which,
                            .transposed = product.kind == Kind::times_weight_transposed});
    }
    if (node.kind == Kind::times_matrix || node.kind == Kind::times_matrix_transposed) {
      call.kind = node.kind == Kind::times_matrix ? CallKind::matrix : CallKind::matrix_transposed;
      call.factor = seen_from(place_of(node.b).value(), over);
    }
    now_.calls.push_back(call);
    return {.place = Place::sum, .index = call.sum, .mode = RowMode::own, .over = over};
  }

  int operand(int e, Over over) {
    const auto [at, added] = operand_of_.emplace(std::pair(e, over), static_cast<int>(now_.operands.size()));
    if (!added) return at->second;
    const int index = at->second;
    now_.operands.push_back({.over = over, .matrix = g_[e].matrix, .tape = {}});
    Tape tape;
    Tape* const before = std::exchange(tape_, &tape);
    auto made = std::exchange(made_, {});
    const Ref to{.place = Place::operand, .index = index, .mode = RowMode::own, .over = over};
    const Ref from = numbers_.is_gathered(e) ? value(e) : place_of(e).value();
    if (from.place == Place::temporary && over_of(e) == over) {
      tape.back().to = to;  // the operation that made it
    } else {
      copy(from, to, g_[e].matrix);
    }
    tape_ = before;
    made_ = std::move(made);
    now_.operands[static_cast<std::size_t>(index)].tape = std::move(tape);
    return index;
  }

  const ExprGraph& g_;
  const std::vector<Output>& outputs_;
  const bool fuse_;
  const ArraysOfLowering& arrays_;
  const StageNumbers numbers_;
  std::map<int, int> crossing_arrays_;

  int stage_ = 0;  // the number of the stage that is lowered, `now_`
  Stage now_;
  Tape* tape_ = nullptr;
  std::map<int, Ref> made_;
  std::map<std::pair<int, Over>, int> operand_of_;
  std::optional<Ref> target_;  // of the next operation
  int temporaries_ = 0;
};

}  // namespace

Stages lower_stages(const ExprGraph& g, const std::vector<Output>& outputs, bool fuse, const ArraysOfLowering& arrays) {
  return StageLowering(g, outputs, fuse, arrays).run();
}

}  // namespace brickwork
