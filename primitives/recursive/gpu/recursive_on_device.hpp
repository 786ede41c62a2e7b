// Recursive models on a device: teams run the body of recursive_body.hpp, and the threads of a team share each
// operation of a tape.
#pragma once
#include <cstdint>

#include "kernels/epilogue/activation.hpp"
#include "primitives/bricks/tile_brick.hpp"
#include "primitives/recursive/body/recursive_body.hpp"
#include "primitives/recursive/recursive_target.hpp"

namespace brickwork {

struct TapeByTeam {
  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, const BoundInstruction* tape, std::int32_t count,
                                        const TapeRows& rows) const {
    for (std::int32_t i = 0; i < count; ++i) {
      run(team, tape[i], rows);
      team.barrier();
    }
  }

 private:
  template <class Team>
  BRICKWORK_HOST_DEVICE static void run(const Team& team, const BoundInstruction& in, const TapeRows& rows) {
    const TapeItems items = items_of(in, rows);
    const std::int64_t of_item = items.rows * rows.width, all = (items.end - items.begin) * of_item;
    const BoundRows to(in.to, rows);
    for (std::int64_t i = team.rank(); i < all; i += team.size()) {
      const std::int64_t item = items.begin + i / of_item, row = i % of_item / rows.width, j = i % rows.width;
      to(item, row)[j] = value(in, rows, item, row, j);
    }
  }

  BRICKWORK_HOST_DEVICE static float value(const BoundInstruction& in, const TapeRows& rows, std::int64_t i,
                                           std::int64_t row, std::int64_t j) {
    const BoundRows a(in.a, rows), b(in.b, rows), c(in.c, rows);
    const LevelArrays& levels = rows.levels;
    switch (in.op) {
      case TapeOp::copy:
        return a(i, row)[j];
      case TapeOp::add:
        return a(i, row)[j] + b(i, row)[j];
      case TapeOp::subtract:
        return a(i, row)[j] - b(i, row)[j];
      case TapeOp::multiply:
        return a(i, row)[j] * b(i, row)[j];
      case TapeOp::multiply_add:
        return a(i, row)[j] * b(i, row)[j] + c(i, row)[j];
      case TapeOp::one_minus:
        return 1 - a(i, row)[j];
      case TapeOp::sigmoid:
        return activated(Activation::sigmoid, a(i, row)[j] + b(i, row)[j] + c(i, row)[j]);
      case TapeOp::tanh:
        return activated(Activation::tanh, a(i, row)[j] + b(i, row)[j] + c(i, row)[j]);
      case TapeOp::relu:
        return activated(Activation::relu, a(i, row)[j] + b(i, row)[j] + c(i, row)[j]);
      case TapeOp::sigmoid_slope:
        return times_derivative(Activation::sigmoid, 1.0F, a(i, row)[j]);
      case TapeOp::tanh_slope:
        return times_derivative(Activation::tanh, 1.0F, a(i, row)[j]);
      case TapeOp::where_positive:
        return times_derivative(Activation::relu, b(i, row)[j], a(i, row)[j]);
      case TapeOp::sum_of_children: {
        float sum = 0;
        for (std::int32_t e = levels.first_edge[i]; e < levels.first_edge[i + 1]; ++e) sum += a(e, row)[j];
        return sum;
      }
      case TapeOp::add_uses: {
        float sum = a(i, row)[j];
        for (std::int32_t u = levels.first_use[i]; u < levels.first_use[i + 1]; ++u) sum += b(levels.uses[u], row)[j];
        return sum;
      }
      case TapeOp::at_position:
        return i - levels.first_edge[levels.parent[i]] == in.position ? a(i, row)[j] : 0;
      case TapeOp::outer: {
        BoundRef whole_row = in.a;
        whole_row.feature = 0;
        return BoundRows(whole_row, rows)(i)[row] * b(i)[j];
      }
    }
    return 0;
  }
};

// A body whose products with weights use `brick`, made for the shape of these calls; the others are portable.
template <class Brick>
RecursiveBody<Brick, TapeByTeam, TeamBrick<float>> recursive_body_on_device(const RecursiveShapes& shapes,
                                                                            const RecursiveRun& run,
                                                                            const Brick& brick) {
  const auto portable = [](const BrgemmShape& shape) { return TeamBrick<float>{shape, /*staged=*/false}; };
  return {run.g,
          run.program,
          run.levels,
          {brick, brick, portable(shapes.matrix), portable(shapes.last_matrix), portable(shapes.matrix_transposed), 0},
          run.scratch_size,
          {}};
}

}  // namespace brickwork
