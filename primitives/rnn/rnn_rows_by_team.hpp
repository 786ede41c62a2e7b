// What a recurrent cell does at one step (rnn_rows.hpp), by the threads of a team that each take features of their own:
// on any host or device.
#pragma once
#include <cmath>
#include <cstdint>

#include "activation.hpp"
#include "host_device.hpp"
#include "rnn/rnn_rows.hpp"

namespace brickwork {
namespace rnn_by_team {

using V = float;

BRICKWORK_HOST_DEVICE inline V load(const float* p) { return *p; }
BRICKWORK_HOST_DEVICE inline void store(V value, float* p) { *p = value; }
BRICKWORK_HOST_DEVICE inline void store_kept(V value, float* p, bool) { *p = value; }
BRICKWORK_HOST_DEVICE inline V set(float value) { return value; }
BRICKWORK_HOST_DEVICE inline V add(V a, V b) { return a + b; }
BRICKWORK_HOST_DEVICE inline V sub(V a, V b) { return a - b; }
BRICKWORK_HOST_DEVICE inline V mul(V a, V b) { return a * b; }
BRICKWORK_HOST_DEVICE inline V mul_add(V a, V b, V c) { return a * b + c; }
BRICKWORK_HOST_DEVICE inline V sub_mul(V c, V a, V b) { return c - a * b; }
BRICKWORK_HOST_DEVICE inline V sigmoid(V x) { return activated(Activation::sigmoid, x); }
BRICKWORK_HOST_DEVICE inline V tanh(V x) { return activated(Activation::tanh, x); }
BRICKWORK_HOST_DEVICE inline V not_negative(V x) { return activated(Activation::relu, x); }
BRICKWORK_HOST_DEVICE inline V where_positive(V x, V y) { return times_derivative(Activation::relu, y, x); }

#define BRICKWORK_CELL BRICKWORK_HOST_DEVICE inline
#include "rnn/rnn_cells-inl.h"
#undef BRICKWORK_CELL

}  // namespace rnn_by_team

// Each thread has features of its own.
struct RnnRowsByTeam {
  template <class Team, class AnyRows>
  BRICKWORK_HOST_DEVICE void operator()(const Team& team, RnnCell cell, RnnHalf half, const AnyRows& r) const {
    rnn_by_team::for_each_turn(r, cell, half, [&](int columns, const auto& policy) {
      for (std::int64_t i = team.rank(); i < r.rows * r.bk; i += team.size()) {
        const auto at = rnn_by_team::vector_at(r, columns, i / r.bk, i % r.bk);
        r.ended(i / r.bk) ? at.stay(columns) : policy(at);
      }
    });
  }
};

}  // namespace brickwork
