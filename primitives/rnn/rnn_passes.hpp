// A recurrent layer's passes on a space, by teams around any brick whose shape is a member.
#pragma once
#include <string>

#include "rnn/rnn_backward_body.hpp"
#include "rnn/rnn_forward_body.hpp"
#include "rnn/rnn_place.hpp"
#include "rnn/rnn_rows_by_team.hpp"

namespace brickwork {

template <class Brick>
Brick of_shape(Brick brick, const BrgemmShape& shape) {
  brick.shape = shape;
  return brick;
}

template <class Space, class Brick>
void run_rnn_forward(const Space& space, const Brick& brick, int threads, const RnnForwardGeometry& g,
                     const RnnForwardData& data) {
  const RnnForwardBody<Brick, RnnRowsByTeam> body{
      g, data, of_shape(brick, g.x_brick()), of_shape(brick, g.state_brick()), of_shape(brick, g.reset_brick()), {}};
  over_time(space, g.turns(), threads, body.scratch_bytes(), body);
}

template <class Space, class Brick>
void run_rnn_backward(const Space& space, const Brick& brick, int threads, const RnnBackwardGeometry& g,
                      const RnnBackwardData& data) {
  const RnnBackwardBody<Brick, RnnRowsByTeam> body{
      g, data, of_shape(brick, g.state_product(g.of_state)), of_shape(brick, g.state_product(g.of_reset)), {}};
  over_time(space, g.turns(), threads, body.scratch_bytes(), body);
}

template <class Space, class Brick>
void run_rnn_gradient_of_x(const Space& space, const Brick& brick, int threads, const RnnBackwardGeometry& g,
                           const RnnBackwardData& data, float* dx, bool accumulate) {
  const RnnGradientOfXBody<Brick> body{g, data, of_shape(brick, g.x_product()), dx, accumulate, g.of_x.blocks()};
  parallel_league(space, body.tasks(), threads, body.brick.scratch_bytes(), body);
}

template <class Space, class Brick>
void run_rnn_update(const Space& space, const Brick& brick, int threads, const RnnBackwardGeometry& g,
                    const RnnBackwardData& data) {
  const RnnUpdateBody<Brick> body{g,
                                  data,
                                  of_shape(brick, g.update(g.of_x, 0)),
                                  of_shape(brick, g.update(g.of_state, 0)),
                                  of_shape(brick, g.update(g.of_reset, 0)),
                                  of_shape(brick, g.bias_update())};
  parallel_league(space, body.tasks(), threads, body.scratch_bytes(), body);
}

// The passes of a place. teams(run) calls run(space, brick, threads); teams.isa() says what that is.
template <class Teams>
class RnnForwardByTeams final : public RnnForwardPass {
 public:
  RnnForwardByTeams(const RnnForwardGeometry& g, const Teams& teams) : g_(g), teams_(teams), isa_(teams.isa()) {}

  void run(const RnnForwardData& data) const override {
    teams_(
        [&](const auto& space, const auto& brick, int threads) { run_rnn_forward(space, brick, threads, g_, data); });
  }
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

  void run_data(const RnnBackwardData& data) const override {
    teams_(
        [&](const auto& space, const auto& brick, int threads) { run_rnn_backward(space, brick, threads, g_, data); });
  }
  void run_x(const RnnBackwardData& data, float* dx, bool accumulate) const override {
    teams_([&](const auto& space, const auto& brick, int threads) {
      run_rnn_gradient_of_x(space, brick, threads, g_, data, dx, accumulate);
    });
  }
  void run_update(const RnnBackwardData& data) const override {
    teams_([&](const auto& space, const auto& brick, int threads) { run_rnn_update(space, brick, threads, g_, data); });
  }

 private:
  RnnBackwardGeometry g_;
  Teams teams_;
};

}  // namespace brickwork
