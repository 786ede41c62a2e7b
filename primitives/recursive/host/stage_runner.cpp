#include "primitives/recursive/host/stage_runner.hpp"

#include <algorithm>

#include "primitives/nest/league.hpp"

namespace brickwork {
namespace {

std::int64_t size(std::size_t n) { return static_cast<std::int64_t>(n); }

// Consecutive nodes and their edges.
struct Piece {
  std::int32_t first_node, last_node, begin_edge, end_edge;
};

// The next nodes from `first` on that have at most `rows` rows, but at least one node.
Piece next_piece(const BoundStage& stage, const Levels& levels, std::int32_t first, std::int32_t end,
                 std::int64_t rows) {
  const auto edge = [&](std::int32_t node) { return levels.first_edge[static_cast<std::size_t>(node)]; };
  std::int32_t last = first + 1;
  while (last < end && (last + 1 - first) * stage.rows_of_node <= rows &&
         (edge(last + 1) - edge(first)) * stage.rows_of_edge <= rows) {
    ++last;
  }
  return {first, last, edge(first), edge(last)};
}

TapeRows rows_of_piece(const RecursiveGeometry& g, const Levels& levels, const Piece& piece) {
  return {.first_node = piece.first_node,
          .last_node = piece.last_node,
          .begin_edge = piece.begin_edge,
          .end_edge = piece.end_edge,
          .feature = 0,
          .width = 0,
          .H = g.H,
          .origins = {},
          .first_edge = levels.first_edge.data(),
          .parent = levels.parent.data(),
          .first_use = levels.first_use.data(),
          .uses = levels.uses.data()};
}

void set_origin(TapeRows& rows, Origin origin, std::int64_t first) { rows.origins[static_cast<int>(origin)] = first; }

class StageRun {
 public:
  StageRun(const BoundStage& stage, const RecursiveGeometry& g, const RecursiveBricks& bricks, const Levels& levels,
           const Level& level)
      : stage_(stage), g_(g), bricks_(bricks), levels_(levels), level_(level) {}

  void operator()(LoopRange nodes, LoopRange blocks) {
    for (std::int64_t n = nodes.begin; n < nodes.end;) {
      call_ = next_piece(stage_, levels_, static_cast<std::int32_t>(n), static_cast<std::int32_t>(nodes.end),
                         g_.rows_of_call);
      if (!stage_.calls.empty()) fill_operands();
      for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        for (const BoundCall& call : stage_.calls) multiply(call, block);
        const std::int64_t feature = block * g_.bk;
        run_pieces(stage_.tape, feature, std::min(g_.bk, g_.H - feature));
      }
      n = call_.last_node;
    }
  }

 private:
  void fill_operands() {
    for (const BoundOperand& operand : stage_.operands) {
      for (std::int64_t feature = 0; feature < g_.H; feature += g_.kb) {
        run_pieces(operand.tape, feature, std::min(g_.kb, g_.H - feature));
      }
    }
  }

  void run_pieces(const std::vector<BoundInstruction>& tape, std::int64_t feature, std::int64_t width) {
    for (std::int32_t n = call_.first_node; n < call_.last_node;) {
      const Piece piece = next_piece(stage_, levels_, n, call_.last_node, g_.rows_of_piece);
      TapeRows rows = rows_of_piece(g_, levels_, piece);
      rows.feature = feature;
      rows.width = width;
      set_origins(rows, piece);
      run_tape(tape, rows);
      n = piece.last_node;
    }
  }

  void set_origins(TapeRows& rows, const Piece& piece) const {
    set_origin(rows, Origin::level_node, level_.begin);
    set_origin(rows, Origin::level_edge, levels_.first_edge[static_cast<std::size_t>(level_.begin)]);
    set_origin(rows, Origin::call_node, call_.first_node);
    set_origin(rows, Origin::call_edge, call_.begin_edge);
    set_origin(rows, Origin::piece_node, piece.first_node);
    set_origin(rows, Origin::piece_edge, piece.begin_edge);
    set_origin(rows, Origin::first_leaf, levels_.first_leaf);
  }

  void multiply(const BoundCall& call, std::int64_t block) const {
    const bool edges = call.over == Over::edge;
    const std::int64_t items = edges ? call_.end_edge - call_.begin_edge : call_.last_node - call_.first_node;
    if (call.kind != CallKind::weights) return multiply_by_matrices(call, block, items);
    const std::int64_t rows = items * (call.matrix ? g_.H : 1);
    const float* const weights = call.weights + block * call.members * g_.kb * g_.bk;
    for (std::int64_t row = 0; row < rows; row += g_.rows_of_call) {
      BrgemmCall of_brick;
      of_brick.batch =
          Batch::at_offsets(call.a + row * g_.kb, weights, call.members, call.offsets_a.data(), call.offsets_b.data());
      of_brick.c = call.sum + row * g_.bk;
      of_brick.rows = static_cast<int>(std::min(g_.rows_of_call, rows - row));
      (bricks_.few && of_brick.rows <= bricks_.few->shape().m ? *bricks_.few : *bricks_.weights)(of_brick);
    }
  }

  // One product for each node or edge, each with a matrix of its own.
  void multiply_by_matrices(const BoundCall& call, std::int64_t block, std::int64_t items) const {
    const std::int64_t first = call.over == Over::edge ? call_.begin_edge : call_.first_node, feature = block * g_.bk;
    for (std::int64_t i = 0; i < items; ++i) {
      const BoundRef& factor = call.factor;
      const std::int64_t at = factor.list == nullptr ? first + i : factor.list[first + i];
      const std::int64_t origin = factor.origin == Origin::first_leaf   ? levels_.first_leaf
                                  : factor.origin == Origin::level_node ? level_.begin
                                  : factor.origin == Origin::level_edge
                                      ? levels_.first_edge[static_cast<std::size_t>(level_.begin)]
                                      : 0;
      const float* const matrix = factor.base + (at - origin) * factor.item;
      const float* const row = call.a + i * g_.kb;
      BrgemmCall of_brick;
      of_brick.c = call.sum + i * g_.bk;
      if (call.kind == CallKind::matrix) {
        of_brick.batch = Batch::strided(row, matrix + feature, 1, 0, 0);
        (block + 1 < g_.blocks ? *bricks_.matrix : *bricks_.last_matrix)(of_brick);
      } else {
        of_brick.batch = Batch::strided(matrix + feature * g_.H, row, 1, 0, 0);
        of_brick.rows = static_cast<int>(std::min(g_.bk, g_.H - feature));
        (*bricks_.matrix_transposed)(of_brick);
      }
    }
  }

  const BoundStage& stage_;
  const RecursiveGeometry& g_;
  const RecursiveBricks& bricks_;
  const Levels& levels_;
  const Level& level_;
  Piece call_ = {};  // the nodes of the current calls
};

// References with their memory.
class Binding {
 public:
  explicit Binding(const BindingOf& of) : of_(of), g_(of.g) {}

  BoundRef operator()(const Ref& ref, bool matrix) const {
    const bool edge = ref.over == Over::edge;
    const std::int64_t rows = matrix ? g_.H : 1;
    switch (ref.place) {
      case Place::zero:
        return {.base = of_.scratch.zeros.data()};
      case Place::temporary:
        return local(of_.scratch.temporaries.data() + ref.index * of_.scratch.temporary_size, g_.row_of_temporary(),
                     rows, edge ? Origin::piece_edge : Origin::piece_node, 0, ref);
      case Place::sum:
        return local(of_.scratch.sums.data() + ref.index * g_.sum_size(), g_.bk, rows,
                     edge ? Origin::call_edge : Origin::call_node, 0, ref);
      case Place::operand:  // [member][row][kb]
        return local(of_.scratch.operands.data() + ref.index * g_.operand_size(), g_.kb, rows,
                     edge ? Origin::call_edge : Origin::call_node, g_.rows, ref);
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
            .origin = origin,
            .feature = 1};
  }

 private:
  BoundRef local(float* base, std::int64_t ld, std::int64_t rows, Origin origin, std::int64_t feature,
                 const Ref& ref) const {
    return {.base = base, .list = list_of(ref), .ld = ld, .item = rows * ld, .origin = origin, .feature = feature};
  }

  const std::int32_t* list_of(const Ref& ref) const {
    const Levels& levels = of_.levels;
    switch (ref.mode) {
      case RowMode::own:
      case RowMode::only:
        return nullptr;
      case RowMode::parent:
        return levels.parent.data();
      case RowMode::child:
        return levels.child.data();
      case RowMode::position:
        return levels.child_at.data() + static_cast<std::int64_t>(ref.position) * levels.nodes;
      case RowMode::number:
        return levels.node.data();
      case RowMode::parents_number:
        return of_.parents_number.data();
    }
    return nullptr;
  }

  const BindingOf& of_;
  const RecursiveGeometry& g_;
};

std::vector<BoundInstruction> bind_tape(const Tape& tape, const Binding& bind) {
  std::vector<BoundInstruction> bound;
  for (const Instruction& in : tape) {
    const bool matrices = in.matrix && in.op != TapeOp::outer;
    bound.push_back({.op = in.op,
                     .over = in.over,
                     .matrix = in.matrix,
                     .position = in.position,
                     .to = bind(in.to, in.matrix),
                     .a = bind(in.a, matrices),
                     .b = bind(in.b, matrices),
                     .c = bind(in.c, matrices)});
  }
  return bound;
}

BoundCall bind_call(const Call& call, const float* weights, const BindingOf& of, const Binding& bind) {
  const RecursiveGeometry& g = of.g;
  BoundCall bound{.kind = call.kind,
                  .over = call.over,
                  .matrix = call.matrix,
                  .members = size(call.terms.size()) * g.members,
                  .weights = weights,
                  .offsets_a = {},
                  .offsets_b = {},
                  .a = of.scratch.operands.data(),
                  .sum = of.scratch.sums.data() + call.sum * g.sum_size(),
                  .factor = call.kind == CallKind::weights ? BoundRef{} : bind(call.factor, true)};
  if (call.kind != CallKind::weights) bound.a += call.terms.front().operand * g.operand_size();
  for (const Term& term : call.terms) {
    for (std::int64_t member = 0; member < g.members; ++member) {
      const std::int64_t a = term.operand * g.operand_size() + member * g.rows * g.kb;
      const std::int64_t b = size(bound.offsets_b.size()) * g.kb * g.bk;
      bound.offsets_a.push_back(static_cast<std::uint64_t>(a) * sizeof(float));
      bound.offsets_b.push_back(static_cast<std::uint64_t>(b) * sizeof(float));
    }
  }
  return bound;
}

bool has_matrices(const Stage& stage, Over over) {
  const auto is = [over](const auto& x) { return x.matrix && x.over == over; };
  const auto in_tape = [&](const Tape& tape) { return std::ranges::any_of(tape, is); };
  return in_tape(stage.tape) || std::ranges::any_of(stage.calls, is) || std::ranges::any_of(stage.operands, is) ||
         std::ranges::any_of(stage.operands, [&](const Operand& operand) { return in_tape(operand.tape); });
}

}  // namespace

PackedStages pack_weights(const Stages& stages, const RecursiveGeometry& g, const std::vector<const float*>& weights) {
  PackedStages packed;
  for (const Stage& stage : stages) {
    auto& of_stage = packed.emplace_back();
    for (const Call& call : stage.calls) {
      const std::int64_t terms = call.kind == CallKind::weights ? size(call.terms.size()) : 0;
      AlignedBuffer<float> to(static_cast<std::size_t>(g.blocks * terms * g.members * g.kb * g.bk));
      for (std::int64_t t = 0; t < terms; ++t) {
        const Term& term = call.terms[static_cast<std::size_t>(t)];
        const float* const from = weights[static_cast<std::size_t>(term.weight)];
        for_each_on_host(g.H, [&](std::int64_t k) {
          for (std::int64_t n = 0; n < g.H; ++n) {
            const std::int64_t row = ((n / g.bk * terms + t) * g.members + k / g.kb) * g.kb + k % g.kb;
            to.data()[row * g.bk + n % g.bk] = from[term.transposed ? n * g.H + k : k * g.H + n];
          }
        });
      }
      of_stage.push_back(std::move(to));
    }
  }
  return packed;
}

StageScratch::StageScratch(const std::vector<const Stages*>& all, const RecursiveGeometry& g) {
  std::int64_t most_operands = 0, most_sums = 0, most_temporaries = 0, temporary_rows = g.rows_of_piece;
  for (const Stages* stages : all) {
    for (const Stage& stage : *stages) {
      most_operands = std::max(most_operands, size(stage.operands.size()));
      most_sums = std::max(most_sums, std::int64_t{stage.sums()});
      most_temporaries = std::max(most_temporaries, std::int64_t{stage.temporaries});
      const std::int64_t of_node = has_matrices(stage, Over::node) ? g.H : 1;
      const std::int64_t of_edge = has_matrices(stage, Over::edge) ? g.H : 1;
      temporary_rows = std::max({temporary_rows, of_node, g.most_children * of_edge});
    }
  }
  temporary_size = temporary_rows * g.row_of_temporary();
  operands = AlignedBuffer<float>(static_cast<std::size_t>(most_operands * g.operand_size()));
  sums = AlignedBuffer<float>(static_cast<std::size_t>(most_sums * g.sum_size()));
  temporaries = AlignedBuffer<float>(static_cast<std::size_t>(most_temporaries * temporary_size));
  zeros = AlignedBuffer<float>(static_cast<std::size_t>(g.row_of_temporary()));
}

std::vector<BoundStage> bind_stages(const Stages& stages, const PackedStages& packed, const BindingOf& of) {
  const Binding bind(of);
  std::vector<BoundStage> bound;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = stages[s];
    BoundStage& to = bound.emplace_back();
    for (const Operand& operand : stage.operands) to.operands.push_back({bind_tape(operand.tape, bind)});
    for (std::size_t c = 0; c < stage.calls.size(); ++c) {
      to.calls.push_back(bind_call(stage.calls[c], packed[s][c].data(), of, bind));
    }
    to.tape = bind_tape(stage.tape, bind);
    to.rows_of_node = has_matrices(stage, Over::node) ? of.g.H : 1;
    to.rows_of_edge = has_matrices(stage, Over::edge) ? of.g.H : 1;
  }
  return bound;
}

void run_stage(const BoundStage& stage, const RecursiveGeometry& g, const RecursiveBricks& bricks, const Levels& levels,
               const Level& level, LoopRange nodes, LoopRange blocks) {
  if (blocks.size() > 0) StageRun(stage, g, bricks, levels, level)(nodes, blocks);
}

}  // namespace brickwork
