// The computation of a recursive model, for a thread of the host or a team of a device: the same body with another
// brick and another way to run tapes.
#pragma once
#include <cstdint>

#include "kernels/base/host_device.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/nest/loop_nest.hpp"
#include "primitives/recursive/body/recursive_geometry.hpp"
#include "primitives/recursive/lowering/program.hpp"
#include "primitives/recursive/structures/schedule.hpp"

namespace brickwork {

// What the numbers of the rows in a place begin with: with those of the first node or edge of a level, of a brick call,
// of a piece of a tape, or of the leaves.
enum class Origin : std::uint8_t {
  zero,
  level_node,
  level_edge,
  call_node,
  call_edge,
  piece_node,
  piece_edge,
  first_leaf,
};
constexpr int kOrigins = 8;

// A Ref with its memory: item i (a node or an edge) has its row, or its matrix of H rows, at number (list ? list[i] :
// i) minus the origin.
struct BoundRef {
  float* base = nullptr;
  const std::int32_t* list = nullptr;
  std::int64_t ld = 0;       // from row to row; 0: one row for all
  std::int64_t item = 0;     // from item to item
  std::int64_t feature = 0;  // from feature to feature; 0: a row has one block of features
  Origin origin = Origin::zero;
  bool own = false;  // every thread or team has its own, `scratch_size` apart
};

struct BoundInstruction {
  TapeOp op;
  Over over;
  bool matrix;
  int position;
  BoundRef to, a, b, c;
};

// Some of the instructions, calls or operands of a program, which lie one after the other.
struct Some {
  std::int32_t first = 0, count = 0;
};

struct BoundCall {
  CallKind kind;
  Over over;
  bool matrix;
  std::int64_t members = 0;            // of the batch
  std::int64_t first_offset = 0;       // in both arrays of offsets
  const float* weights = nullptr;      // of block 0
  float *a = nullptr, *sum = nullptr;  // own, as in BoundRef
  BoundRef factor;
};

struct BoundStage {
  Some operands;  // each is a tape
  Some calls;
  Some tape;
  std::int64_t rows_of_node = 1, rows_of_edge = 1;  // H if the stage has matrices
};

// A stage of some nodes of a level (schedule.hpp); `stage` counts through all stages.
struct Step {
  std::int32_t stage;
  Level nodes, level;
  std::int32_t owner;
};

// A program as arrays, where the body runs.
struct BoundProgram {
  const BoundInstruction* instructions = nullptr;
  const Some* operands = nullptr;
  const BoundCall* calls = nullptr;
  const std::uint64_t *offsets_a = nullptr, *offsets_b = nullptr;  // bytes
  const BoundStage* stages = nullptr;
  const Step* steps = nullptr;
  const Some* phases = nullptr;  // steps; all threads or teams meet after each phase
  std::int32_t phase_count = 0;
};

// The arrays of Levels that the body reads.
struct LevelArrays {
  std::int32_t first_leaf = 0;
  const std::int32_t *first_edge = nullptr, *parent = nullptr, *first_use = nullptr, *uses = nullptr;
};

// The nodes [first_node, last_node), their edges, and the features [feature, feature + width).
struct TapeRows {
  std::int32_t first_node, last_node, begin_edge, end_edge;
  std::int64_t feature = 0, width = 0;
  std::int64_t H;
  std::int64_t scratch = 0;  // offset of the thread's or team's own memory
  std::int64_t origins[kOrigins] = {};
  LevelArrays levels;
};

// The rows of one reference: of item i, or row `row` of its matrix.
class BoundRows {
 public:
  BRICKWORK_HOST_DEVICE BoundRows(const BoundRef& ref, const TapeRows& rows)
      : base_(ref.base + (ref.own ? rows.scratch : 0) + rows.feature * ref.feature -
              rows.origins[static_cast<int>(ref.origin)] * ref.item),
        list_(ref.list),
        item_(ref.item),
        ld_(ref.ld) {}

  BRICKWORK_HOST_DEVICE float* operator()(std::int64_t i, std::int64_t row = 0) const {
    return base_ + (list_ == nullptr ? i : list_[i]) * item_ + row * ld_;
  }

 private:
  float* base_;
  const std::int32_t* list_;
  std::int64_t item_, ld_;
};

// The nodes or edges on which an instruction runs, and the rows of each.
struct TapeItems {
  std::int64_t begin, end, rows;
};
BRICKWORK_HOST_DEVICE inline TapeItems items_of(const BoundInstruction& in, const TapeRows& rows) {
  const bool edges = in.over == Over::edge;
  return {edges ? rows.begin_edge : rows.first_node, edges ? rows.end_edge : rows.last_node, in.matrix ? rows.H : 1};
}

// The kernels of the kinds of calls (program.hpp). `few` and `last` are for calls of few rows and for the last block of
// features.
constexpr std::int64_t kFewRows = 6;  // up to which a brick reads B only once
template <class Brick, class MatrixBrick = Brick>
struct RecursiveBricks {
  Brick weights, few;
  MatrixBrick matrix, last_matrix, matrix_transposed;
  std::int64_t few_rows = 0;  // 0: there is no such kernel
};

template <class Brick, class RunTape, class MatrixBrick = Brick>
struct RecursiveBody {
  RecursiveGeometry g;
  BoundProgram program;
  LevelArrays levels;
  RecursiveBricks<Brick, MatrixBrick> bricks;
  std::int64_t scratch_size = 0;
  [[no_unique_address]] RunTape run_tape;

  // All phases. This is one of `shares` threads or teams; `meet` waits for all. `scratch` is the brick's.
  template <class Team, class Meet>
  BRICKWORK_HOST_DEVICE void run(const Team& team, std::int64_t share, std::int64_t shares, const Meet& meet,
                                 void* scratch) const {
    for (std::int32_t phase = 0; phase < program.phase_count; ++phase) {
      run_phase(team, phase, share, share, shares, scratch);
      meet();
    }
  }

  // A phase, with the scratch of number `own`.
  template <class Team>
  BRICKWORK_HOST_DEVICE void run_phase(const Team& team, std::int32_t phase, std::int64_t own, std::int64_t share,
                                       std::int64_t shares, void* scratch) const {
    const Some steps = program.phases[phase];
    for (std::int32_t s = steps.first; s < steps.first + steps.count; ++s) {
      run_step(team, program.steps[s], own, share, shares, scratch);
    }
  }

 private:
  // Consecutive nodes and their edges.
  struct Piece {
    std::int32_t first_node, last_node, begin_edge, end_edge;
  };

  template <class Team>
  BRICKWORK_HOST_DEVICE void run_step(const Team& team, const Step& step, std::int64_t own, std::int64_t share,
                                      std::int64_t shares, void* scratch) const {
    if (step.owner == share) return run_nodes(team, step, step.nodes, {0, g.blocks}, own, scratch);
    if (step.owner != kShared) return;
    // All share the blocks of features, and the nodes if there are fewer blocks.
    const std::int64_t columns = shares < g.blocks ? shares : g.blocks, groups = shares / columns;
    if (share >= columns * groups) return;
    const std::int64_t group = share / columns, column = share % columns;
    const auto first = [&](std::int64_t i) {
      return step.nodes.begin + static_cast<std::int32_t>((step.nodes.end - step.nodes.begin) * i / groups);
    };
    run_nodes(team, step, {first(group), first(group + 1)},
              {g.blocks * column / columns, g.blocks * (column + 1) / columns}, own, scratch);
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void run_nodes(const Team& team, const Step& step, const Level& nodes, const LoopRange& blocks,
                                       std::int64_t own, void* scratch) const {
    const BoundStage& stage = program.stages[step.stage];
    for (std::int32_t node = nodes.begin; node < nodes.end;) {
      const Piece piece = next_piece(stage, node, nodes.end, g.rows_of_call);
      TapeRows rows = rows_of(step, piece, own);
      fill_operands(team, stage, rows);
      for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
        team.barrier();
        for (std::int32_t c = 0; c < stage.calls.count; ++c) {
          multiply(team, program.calls[stage.calls.first + c], rows, block, scratch);
        }
        team.barrier();
        rows.feature = block * g.bk;
        rows.width = clamp(g.H - rows.feature, 0, g.bk);
        run_pieces(team, stage, stage.tape, rows);
      }
      team.barrier();
      node = piece.last_node;
    }
  }

  // The next nodes from `first` on that have at most `most` rows, but at least one node.
  BRICKWORK_HOST_DEVICE Piece next_piece(const BoundStage& stage, std::int32_t first, std::int32_t end,
                                         std::int64_t most) const {
    const std::int32_t* const edge = levels.first_edge;
    std::int32_t last = first + 1;
    while (last < end && (last + 1 - first) * stage.rows_of_node <= most &&
           (edge[last + 1] - edge[first]) * stage.rows_of_edge <= most) {
      ++last;
    }
    return {first, last, edge[first], edge[last]};
  }

  BRICKWORK_HOST_DEVICE TapeRows rows_of(const Step& step, const Piece& piece, std::int64_t own) const {
    TapeRows rows{.first_node = piece.first_node,
                  .last_node = piece.last_node,
                  .begin_edge = piece.begin_edge,
                  .end_edge = piece.end_edge,
                  .H = g.H,
                  .levels = levels};
    rows.scratch = own * scratch_size;
    const auto set = [&](Origin origin, std::int64_t first) { rows.origins[static_cast<int>(origin)] = first; };
    set(Origin::level_node, step.level.begin);
    set(Origin::level_edge, levels.first_edge[step.level.begin]);
    set(Origin::call_node, piece.first_node);
    set(Origin::call_edge, piece.begin_edge);
    set(Origin::first_leaf, levels.first_leaf);
    return rows;
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void fill_operands(const Team& team, const BoundStage& stage, TapeRows rows) const {
    for (std::int32_t o = 0; o < stage.operands.count; ++o) {
      for (rows.feature = 0; rows.feature < g.H; rows.feature += g.kb) {
        rows.width = clamp(g.H - rows.feature, 0, g.kb);
        run_pieces(team, stage, program.operands[stage.operands.first + o], rows);
      }
    }
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void run_pieces(const Team& team, const BoundStage& stage, const Some& tape,
                                        const TapeRows& all) const {
    for (std::int32_t node = all.first_node; node < all.last_node;) {
      const Piece piece = next_piece(stage, node, all.last_node, g.rows_of_piece);
      TapeRows rows = all;
      rows.first_node = piece.first_node, rows.last_node = piece.last_node;
      rows.begin_edge = piece.begin_edge, rows.end_edge = piece.end_edge;
      rows.origins[static_cast<int>(Origin::piece_node)] = piece.first_node;
      rows.origins[static_cast<int>(Origin::piece_edge)] = piece.begin_edge;
      run_tape(team, program.instructions + tape.first, tape.count, rows);
      node = piece.last_node;
    }
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void multiply(const Team& team, const BoundCall& call, const TapeRows& all, std::int64_t block,
                                      void* scratch) const {
    const bool edges = call.over == Over::edge;
    const std::int64_t first = edges ? all.begin_edge : all.first_node;
    const std::int64_t items = (edges ? all.end_edge : all.last_node) - first;
    if (call.kind == CallKind::weights) return multiply_by_weights(team, call, all, items, block, scratch);
    for (std::int64_t i = 0; i < items; ++i) multiply_by_matrix(team, call, all, first, i, block, scratch);
  }

  template <class Team>
  BRICKWORK_HOST_DEVICE void multiply_by_weights(const Team& team, const BoundCall& call, const TapeRows& all,
                                                 std::int64_t items, std::int64_t block, void* scratch) const {
    const std::int64_t rows = items * (call.matrix ? g.H : 1);
    const float* const weights = call.weights + block * call.members * g.kb * g.bk;
    for (std::int64_t row = 0; row < rows; row += g.rows_of_call) {
      BrgemmCall of_brick;
      of_brick.batch = Batch::at_offsets(call.a + all.scratch + row * g.kb, weights, call.members,
                                         program.offsets_a + call.first_offset, program.offsets_b + call.first_offset);
      of_brick.c = call.sum + all.scratch + row * g.bk;
      of_brick.rows = static_cast<int>(clamp(rows - row, 0, g.rows_of_call));
      (of_brick.rows <= bricks.few_rows ? bricks.few : bricks.weights)(team, 0, of_brick, scratch);
    }
  }

  // The product of one node or edge, which has a matrix of its own.
  template <class Team>
  BRICKWORK_HOST_DEVICE void multiply_by_matrix(const Team& team, const BoundCall& call, const TapeRows& all,
                                                std::int64_t first, std::int64_t i, std::int64_t block,
                                                void* scratch) const {
    const BoundRef& factor = call.factor;
    const std::int64_t at = factor.list == nullptr ? first + i : factor.list[first + i], feature = block * g.bk;
    const float* const matrix = factor.base + (at - all.origins[static_cast<int>(factor.origin)]) * factor.item;
    const float* const row = call.a + all.scratch + i * g.kb;
    BrgemmCall of_brick;
    of_brick.c = call.sum + all.scratch + i * g.bk;
    if (call.kind == CallKind::matrix) {
      of_brick.batch = Batch::strided(row, matrix + feature, 1, 0, 0);
      (block + 1 < g.blocks ? bricks.matrix : bricks.last_matrix)(team, 0, of_brick, scratch);
    } else {
      of_brick.batch = Batch::strided(matrix + feature * g.H, row, 1, 0, 0);
      of_brick.rows = static_cast<int>(clamp(g.H - feature, 0, g.bk));
      bricks.matrix_transposed(team, 0, of_brick, scratch);
    }
  }
};

}  // namespace brickwork
