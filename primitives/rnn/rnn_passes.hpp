// A recurrent layer's passes on a space, by teams around the bricks that it has for a call's shape. A step is a league
// for its product and one for what the cell makes of that, whose tasks are of other sizes; or two of each.
//
// teams.with_brick<a_transposed>(shape, run) calls run(space, brick, threads), and teams.without_brick(run) run(space,
// threads); teams.isa() says what they are.
#pragma once
#include <string>

#include "rnn/rnn_backward_body.hpp"
#include "rnn/rnn_forward_body.hpp"
#include "rnn/rnn_place.hpp"
#include "rnn/rnn_rows_by_team.hpp"
#include "sums_of_columns.hpp"

namespace brickwork {

template <class Brick>
Brick of_shape(Brick brick, const BrgemmShape& shape) {
  brick.shape = shape;
  return brick;
}

// Of a body that multiplies nothing.
struct NoBrick {
  BrgemmShape shape;
};

template <class Body>
struct RnnShareOfX {
  Body body;
  std::int64_t step;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void* scratch) const {
    body.add_x_of_chunk(team, step, task, scratch);
  }
};
template <class Body>
struct RnnShareOfProduct {
  Body body;
  std::int64_t step;
  RnnHalf half;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void* scratch) const {
    body.multiply_share(team, step, half, task, scratch);
  }
};
template <class Body>
struct RnnEndOfStep {
  Body body;
  std::int64_t step;
  RnnHalf half;

  template <class Team>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, std::int64_t task, void*) const {
    body.finish(team, step, half, task);
  }
};

// multiply(step, half) launches a half's product.
template <class Teams, class Body, class Multiply>
void over_time(const Teams& teams, const RnnTurns& turns, const RnnForwardGeometry& g, const Body& body,
               const Multiply& multiply) {
  const std::int64_t tasks = g.Kb * ceil_div(g.N, rows_of_finish(g.bk));
  for (std::int64_t step = 0; step < turns.steps; ++step) {
    for (int i = 0; i < turns.halves; ++i) {
      const RnnHalf half = RnnTurns::half(i);
      multiply(step, half);
      teams.without_brick([&](const auto& space, int threads) {
        parallel_league(space, tasks, threads, 0, RnnEndOfStep<Body>{body, step, half});
      });
    }
  }
}

template <class Teams>
void run_rnn_forward(const Teams& teams, const RnnForwardGeometry& g, const RnnForwardData& data) {
  const auto body_of = [&]<class Brick>(const Brick& brick) {
    return RnnForwardBody<Brick, RnnRowsByTeam>{
        g, data, of_shape(brick, g.x_brick()), of_shape(brick, g.state_brick()), of_shape(brick, g.reset_brick()), {}};
  };
  over_time(teams, g.turns(), g, body_of(NoBrick()), [&](std::int64_t step, RnnHalf half) {
    if (half == RnnHalf::first) {
      teams.template with_brick<false>(g.x_brick(), [&](const auto& space, const auto& brick, int threads) {
        const auto body = body_of(brick);
        const std::int64_t tasks = body.tasks_of_x(step);
        if (tasks > 0) parallel_league(space, tasks, threads, body.scratch_bytes(), RnnShareOfX{body, step});
      });
    }
    teams.template with_brick<false>(g.state_brick(), [&](const auto& space, const auto& brick, int threads) {
      const auto body = body_of(brick);
      parallel_league(space, g.turns().tasks(), threads, body.scratch_bytes(), RnnShareOfProduct{body, step, half});
    });
  });
}

template <class Teams>
void run_rnn_backward(const Teams& teams, const RnnBackwardGeometry& g, const RnnBackwardData& data) {
  const BrgemmShape of_state = g.state_product(g.of_state);
  const auto body_of = [&]<class Brick>(const Brick& brick) {
    return RnnBackwardBody<Brick, RnnRowsByTeam>{
        g, data, of_shape(brick, of_state), of_shape(brick, g.state_product(g.of_reset)), {}};
  };
  over_time(teams, g.turns(), g.forward, body_of(NoBrick()), [&](std::int64_t step, RnnHalf half) {
    teams.template with_brick<false>(of_state, [&](const auto& space, const auto& brick, int threads) {
      const auto body = body_of(brick);
      const std::int64_t tasks = body.tasks_of_shares(step, half);
      if (tasks > 0) parallel_league(space, tasks, threads, body.scratch_bytes(), RnnShareOfProduct{body, step, half});
    });
  });
}

template <class Teams>
void run_rnn_gradient_of_x(const Teams& teams, const RnnBackwardGeometry& g, const RnnBackwardData& data, float* dx,
                           bool accumulate) {
  teams.template with_brick<false>(g.x_product(), [&]<class Brick>(const auto& space, const Brick& brick, int threads) {
    const RnnGradientOfXBody<Brick> body{g, data, brick, dx, accumulate, g.of_x.blocks()};
    parallel_league(space, body.tasks(), threads, body.brick.scratch_bytes(), body);
  });
}

template <class Teams>
void run_rnn_update(const Teams& teams, const RnnBackwardGeometry& g, const RnnBackwardData& data) {
  const BrgemmShape of_x = g.update(g.of_x, 0);
  teams.template with_brick<true>(of_x, [&]<class Brick>(const auto& space, const Brick& brick, int threads) {
    const RnnUpdateBody<Brick, SumsOfColumns<float>> body{g,
                                                          data,
                                                          brick,
                                                          of_shape(brick, g.update(g.of_state, 0)),
                                                          of_shape(brick, g.update(g.of_reset, 0)),
                                                          {g.bias_update()}};
    parallel_league(space, body.tasks(), threads, body.scratch_bytes(), body);
  });
  if (g.parts_of_update == 1) return;
  teams.without_brick([&](const auto& space, int threads) {
    const SumOfCopies<float> sum{data.gradients, g.parts_of_update};
    parallel_league(space, sum.tasks(threads), threads, 0, sum);
  });
}

// The passes of a place.
template <class Teams>
class RnnForwardByTeams final : public RnnForwardPass {
 public:
  RnnForwardByTeams(const RnnForwardGeometry& g, const Teams& teams) : g_(g), teams_(teams), isa_(teams.isa()) {}

  void run(const RnnForwardData& data) const override { run_rnn_forward(teams_, g_, data); }
  std::string_view isa() const override { return isa_; }

 private:
  RnnForwardGeometry g_;
  Teams teams_;
  std::string isa_;
};

template <class Teams>
class RnnBackwardByTeams final : public RnnBackwardPass {
 public:
  RnnBackwardByTeams(const RnnBackwardGeometry& g, const Teams& teams) : g_(g), teams_(teams) {}

  void run_data(const RnnBackwardData& data) const override { run_rnn_backward(teams_, g_, data); }
  void run_x(const RnnBackwardData& data, float* dx, bool accumulate) const override {
    run_rnn_gradient_of_x(teams_, g_, data, dx, accumulate);
  }
  void run_update(const RnnBackwardData& data) const override { run_rnn_update(teams_, g_, data); }

 private:
  RnnBackwardGeometry g_;
  Teams teams_;
};

}  // namespace brickwork
