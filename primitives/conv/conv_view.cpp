#include "primitives/conv/conv_view.hpp"

namespace brickwork {

ConvView forward_view(const ConvProblem& p) {
  return {.N = p.N,
          .C = p.C,
          .H = p.H,
          .W = p.W,
          .K = p.K,
          .P = p.P(),
          .Q = p.Q(),
          .rows = p.P(),
          .cols = p.Q(),
          .R = p.R,
          .S = p.S,
          .stride_h = p.stride_h,
          .stride_w = p.stride_w,
          .pad_h = p.pad_h,
          .pad_w = p.pad_w,
          .room_w = p.pad_w,
          .room_h = p.pad_h,
          .epilogue = p.epilogue};
}

ActivationLayout src_layout_of(const ConvView& v, std::int64_t bc) {
  return {v.N, v.C, v.H, v.W, v.room_w, bc, v.room_h};
}
ActivationLayout dst_layout_of(const ConvView& v, std::int64_t bk) { return {v.N, v.K, v.P, v.Q, v.dst_room_w, bk}; }
WeightLayout weights_layout_of(const ConvView& v, std::int64_t bc, std::int64_t bk) {
  return {v.K, v.C, v.R, v.S, bk, bc};
}

}  // namespace brickwork
