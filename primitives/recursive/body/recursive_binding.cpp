#include "primitives/recursive/body/recursive_binding.hpp"

#include <algorithm>

#include "primitives/nest/league.hpp"

namespace brickwork {
namespace {

std::int64_t size(std::size_t n) { return static_cast<std::int64_t>(n); }

// References with their memory.
class Binding {
 public:
  explicit Binding(const BindingOf& of) : of_(of), g_(of.g) {}

  BoundRef operator()(const Ref& ref, bool matrix) const {
    const bool edge = ref.over == Over::edge;
    const std::int64_t rows = matrix ? g_.H : 1;
    const Origin of_call = edge ? Origin::call_edge : Origin::call_node;
    switch (ref.place) {
      case Place::zero:
        return {.base = const_cast<float*>(of_.zeros)};  // only read
      case Place::temporary:
        return own(of_.layout.temporaries + ref.index * of_.layout.temporary_size, g_.row_of_temporary(), rows,
                   edge ? Origin::piece_edge : Origin::piece_node, 0, ref);
      case Place::sum:
        return own(of_.layout.sums + ref.index * g_.sum_size(), g_.bk, rows, of_call, 0, ref);
      case Place::operand:  // [member][row][kb]
        return own(ref.index * g_.operand_size(), g_.kb, rows, of_call, g_.rows, ref);
      case Place::array:
        break;
    }
    float* const base = of_.arrays.data(ref.index, of_.tensors);
    if (ref.mode == RowMode::only) return {.base = base, .feature = 1};
    const ArrayInfo& info = of_.arrays.info(ref.index);
    const Origin origin = of_.arrays.is_by_level(ref.index) ? edge ? Origin::level_edge : Origin::level_node
                          : info.of_leaves || info.rows == RowsOf::leaves ? Origin::first_leaf
                                                                          : Origin::zero;
    return {.base = base,
            .list = info.of_leaves ? nullptr : list_of(ref),  // leaves keep their order
            .ld = g_.H,
            .item = rows * g_.H,
            .feature = 1,
            .origin = origin};
  }

 private:
  BoundRef own(std::int64_t at, std::int64_t ld, std::int64_t rows, Origin origin, std::int64_t feature,
               const Ref& ref) const {
    return {.base = of_.scratch + at,
            .list = list_of(ref),
            .ld = ld,
            .item = rows * ld,
            .feature = feature,
            .origin = origin,
            .own = true};
  }

  const std::int32_t* list_of(const Ref& ref) const {
    switch (ref.mode) {
      case RowMode::own:
      case RowMode::only:
        break;
      case RowMode::parent:
        return of_.lists.parent;
      case RowMode::child:
        return of_.lists.child;
      case RowMode::position:
        return of_.lists.child_at + ref.position * of_.lists.nodes;
      case RowMode::number:
        return of_.lists.node;
      case RowMode::parents_number:
        return of_.lists.parents_number;
      case RowMode::parents_child:
        return of_.lists.parents_child + ref.position * of_.lists.edges;
    }
    return nullptr;
  }

  const BindingOf& of_;
  const RecursiveGeometry& g_;
};

BoundInstruction bound(const Instruction& in, const Binding& bind) {
  const bool matrices = in.matrix && in.op != TapeOp::outer;
  return {.op = in.op,
          .over = in.over,
          .matrix = in.matrix,
          .position = in.position,
          .to = bind(in.to, in.matrix),
          .a = bind(in.a, matrices),
          .b = bind(in.b, matrices),
          .c = bind(in.c, matrices)};
}

bool has_matrices(const Stage& stage, Over over) {
  const auto is = [over](const auto& x) { return x.matrix && x.over == over; };
  const auto in_tape = [&](const Tape& tape) { return std::ranges::any_of(tape, is); };
  return in_tape(stage.tape) || std::ranges::any_of(stage.calls, is) || std::ranges::any_of(stage.operands, is) ||
         std::ranges::any_of(stage.operands, [&](const Operand& operand) { return in_tape(operand.tape); });
}

}  // namespace

std::int64_t PackedStages::terms(const Call& call) const {
  return call.kind == CallKind::weights ? size(call.terms.size()) : 0;
}

PackedStages::PackedStages(const Stages& stages, const RecursiveGeometry& g, const RecursiveTarget& target)
    : stages_(&stages), g_(g) {
  std::int64_t all = 0;
  for (const Stage& stage : stages) {
    auto& of_stage = first_.emplace_back();
    for (const Call& call : stage.calls) {
      of_stage.push_back(all);
      all += g.blocks * terms(call) * g.members * g.kb * g.bk;
    }
  }
  packed_ = {all, target};
}

void PackedStages::pack(const std::vector<const float*>& weights) {
  if (packed_.size() == 0) return;
  for (std::size_t s = 0; s < stages_->size(); ++s) {
    const auto& calls = (*stages_)[s].calls;
    for (std::size_t c = 0; c < calls.size(); ++c) pack(calls[c], weights, packed_.host() + first_[s][c]);
  }
  packed_.send();
}

void PackedStages::pack(const Call& call, const std::vector<const float*>& weights, float* to) const {
  const std::int64_t count = terms(call);
  for (std::int64_t t = 0; t < count; ++t) {
    const Term& term = call.terms[static_cast<std::size_t>(t)];
    const float* const from = weights[static_cast<std::size_t>(term.weight)];
    for_each_on_host(g_.H, [&](std::int64_t k) {
      for (std::int64_t n = 0; n < g_.H; ++n) {
        const std::int64_t row = ((n / g_.bk * count + t) * g_.members + k / g_.kb) * g_.kb + k % g_.kb;
        to[row * g_.bk + n % g_.bk] = from[term.transposed ? n * g_.H + k : k * g_.H + n];
      }
    });
  }
}

ScratchLayout::ScratchLayout(const std::vector<const Stages*>& all, const RecursiveGeometry& g) {
  std::int64_t most_operands = 0, most_sums = 0, most_temporaries = 0, temporary_rows = g.rows_of_piece;
  for (const Stages* stages : all) {
    for (const Stage& stage : *stages) {
      most_operands = std::max<std::int64_t>(most_operands, std::ssize(stage.operands));
      most_sums = std::max(most_sums, std::int64_t{stage.sums()});
      most_temporaries = std::max(most_temporaries, std::int64_t{stage.temporaries});
      const std::int64_t of_node = has_matrices(stage, Over::node) ? g.H : 1;
      const std::int64_t of_edge = has_matrices(stage, Over::edge) ? g.H : 1;
      temporary_rows = std::max({temporary_rows, of_node, g.most_children * of_edge});
    }
  }
  temporary_size = temporary_rows * g.row_of_temporary();
  sums = most_operands * g.operand_size();
  temporaries = sums + most_sums * g.sum_size();
  constexpr std::int64_t kApart = 32;  // floats: two cache lines, so that no line belongs to two threads
  size = whole_blocks(temporaries + most_temporaries * temporary_size, kApart) + kApart;
}

void ProgramArrays::clear() { *this = {}; }

void ProgramArrays::append(const PackedStages& packed, const BindingOf& of) {
  const RecursiveGeometry& g = of.g;
  const Binding bind(of);
  const auto append_tape = [&](const Tape& tape) {
    const Some some{static_cast<std::int32_t>(instructions.size()), static_cast<std::int32_t>(tape.size())};
    for (const Instruction& in : tape) instructions.push_back(bound(in, bind));
    return some;
  };
  for (std::size_t s = 0; s < packed.stages().size(); ++s) {
    const Stage& stage = packed.stages()[s];
    BoundStage to;
    to.operands = {static_cast<std::int32_t>(operands.size()), static_cast<std::int32_t>(stage.operands.size())};
    for (const Operand& operand : stage.operands) operands.push_back(append_tape(operand.tape));
    to.calls = {static_cast<std::int32_t>(calls.size()), static_cast<std::int32_t>(stage.calls.size())};
    for (std::size_t c = 0; c < stage.calls.size(); ++c) {
      const Call& call = stage.calls[c];
      const bool weights = call.kind == CallKind::weights;
      const std::int64_t first = size(offsets_a.size());
      for (const Term& term : call.terms) {
        for (std::int64_t member = 0; member < g.members; ++member) {
          const std::int64_t a = term.operand * g.operand_size() + member * g.rows * g.kb;
          const std::int64_t b = (size(offsets_b.size()) - first) * g.kb * g.bk;
          offsets_a.push_back(static_cast<std::uint64_t>(a) * sizeof(float));
          offsets_b.push_back(static_cast<std::uint64_t>(b) * sizeof(float));
        }
      }
      calls.push_back({.kind = call.kind,
                       .over = call.over,
                       .matrix = call.matrix,
                       .members = size(offsets_a.size()) - first,
                       .first_offset = first,
                       .weights = packed.weights(s, c),
                       .a = of.scratch + (weights ? 0 : call.terms.front().operand * g.operand_size()),
                       .sum = of.scratch + of.layout.sums + call.sum * g.sum_size(),
                       .factor = weights ? BoundRef{} : bind(call.factor, true)});
    }
    to.tape = append_tape(stage.tape);
    to.rows_of_node = has_matrices(stage, Over::node) ? g.H : 1;
    to.rows_of_edge = has_matrices(stage, Over::edge) ? g.H : 1;
    stages.push_back(to);
  }
}

}  // namespace brickwork
