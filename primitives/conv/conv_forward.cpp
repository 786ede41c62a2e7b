#include "conv/conv_forward.hpp"

#include <algorithm>

#include "epilogue.hpp"

namespace brickwork {
namespace {

enum LoopIndex { kN, kKb, kCb, kOj, kOi };  // the order of conv_loops()

// Whether an image's pass over one block of output features is followed by its pass over the next.
bool images_outside_features(const ConvPlan& plan) {
  std::string_view inner;
  for (const auto& level : plan.loops.levels) {
    if (level.name == "n" || level.name == "kb") inner = level.name;
  }
  return inner == "kb";
}

std::int64_t most_blocks_a_call(const ConvPlan& plan) {
  std::int64_t step = 1;
  for (const auto& level : plan.loops.levels) {
    if (level.name == "cb") step = level.step;
  }
  return step;
}

}  // namespace

ConvForward::ConvForward(const ConvProblem& p, const ConvPlan& plan)
    : problem_(p),
      plan_(plan),
      nest_(conv_loops(p, plan), plan.loops),
      src_{p.N, p.C, p.H, p.W, p.pad_w, plan.bc},
      dst_{p.N, p.K, p.P(), p.Q(), 0, plan.bk},
      weights_{p.K, p.C, p.R, p.S, plan.bk, plan.bc},
      cols_(pixel_grid(p, plan.flat).cols),
      src_offsets_(p.R + 1),
      weights_offsets_(p.R + 1),
      members_(plan.taps_in_k ? 1 : p.S),
      src_stays_(images_outside_features(plan)) {
  const std::int64_t blocks = std::min(most_blocks_a_call(plan), src_.Cb());
  for (std::int64_t filter_rows = 1; filter_rows <= p.R; ++filter_rows) {
    for (std::int64_t cb = 0; cb < blocks; ++cb) {
      for (std::int64_t r = 0; r < filter_rows; ++r) {
        for (std::int64_t s = 0; s < members_; ++s) {
          src_offsets_[filter_rows].push_back(sizeof(float) * (cb * src_.slice_size() + (r * src_.Wp() + s) * src_.bc));
          weights_offsets_[filter_rows].push_back(sizeof(float) * weights_.tap(0, cb, r, s));
        }
      }
    }
  }
}

// How far on in src the pixels lie that will be needed next; measured on 1x1 layers whose src comes from memory, the
// prefetch there lifts a core from 0.84 to 0.93 of its peak.
std::int64_t ConvForward::next_src() const {
  constexpr std::int64_t kAhead = 28;  // pixels in a long row: several tiles, but not so many that L1 loses them again
  if (plan_.bq == cols_ && !plan_.flat) return problem_.stride_h * src_.Wp() * src_.bc;  // the next output row's
  return std::min(plan_.bq, kAhead) * problem_.stride_w * src_.bc;
}

BrgemmShape ConvForward::brick_shape(std::int64_t pixels, int beta, bool prefetch) const {
  BrgemmShape shape{.m = static_cast<int>(pixels),
                    .n = static_cast<int>(plan_.bk),
                    .k = static_cast<int>(plan_.taps_in_k ? problem_.S * plan_.bc : plan_.bc),
                    .lda = problem_.stride_w * plan_.bc,
                    .ldb = plan_.bk,
                    .ldc = plan_.bk,
                    .beta = beta,
                    .batch_kind = BatchKind::offsets,
                    .next_a = prefetch ? next_src() : 0,
                    .stream_c = plan_.stream_dst};
  const bool whole_row = pixels == cols_;
  if (whole_row && problem_.pad_w > 0 && !plan_.taps_in_k) {
    shape.image = {.taps = static_cast<int>(problem_.S),
                   .stride = problem_.stride_w,
                   .begin = problem_.pad_w,
                   .end = problem_.pad_w + problem_.W};
  }
  return shape;
}

Result<ConvForward> ConvForward::make(const ConvProblem& p, const ConvPlan& plan, Backend backend, Isa isa) {
  ConvForward conv(p, plan);
  const std::int64_t rest = conv.cols_ % plan.bq;
  for (int tail : {0, 1}) {
    for (int beta : {0, 1}) {
      for (bool prefetch : {false, true}) {
        auto brick = make_brgemm(conv.brick_shape(tail && rest ? rest : plan.bq, beta, prefetch), backend, isa);
        if (!brick) return Result<ConvForward>::unsupported(brick.reason());
        conv.bricks_[tail][beta][prefetch] = *brick;
      }
    }
  }
  return conv;
}

void ConvForward::run(const float* src, const float* weights, const float* bias, const float* residual,
                      float* dst) const {
  nest_.run([&](const LoopRanges& at) {
    const std::int64_t n = at[kN].begin, kb = at[kKb].begin, cb = at[kCb].begin, oj = at[kOj].begin;
    const std::int64_t q_begin = at[kOi].begin * plan_.bq, q_end = std::min(q_begin + plan_.bq, cols_);
    const bool prefetch = plan_.prefetch_src && (kb == 0 || !src_stays_);
    const bool first = cb == 0, last = at[kCb].end == src_.Cb();

    // The filter rows r_begin .. r_end fall inside the image.
    const std::int64_t top = oj * problem_.stride_h - problem_.pad_h;
    const std::int64_t r_begin = std::clamp<std::int64_t>(-top, 0, problem_.R);
    const std::int64_t r_end = std::clamp<std::int64_t>(src_.H - top, r_begin, problem_.R);
    const std::int64_t filter_rows = r_end - r_begin;

    const float* a =
        src + (filter_rows == 0 ? 0 : src_.pixel(n, cb, top + r_begin, q_begin * problem_.stride_w - problem_.pad_w));
    const std::int64_t tile = dst_.pixel(n, kb, 0, oj * cols_ + q_begin);
    const bool rest = q_end - q_begin < plan_.bq;
    (*bricks_[rest][!first][prefetch])(a, weights + weights_.tap(kb, cb, r_begin, 0), dst + tile,
                                       at[kCb].size() * filter_rows * members_, src_offsets_[filter_rows].data(),
                                       weights_offsets_[filter_rows].data());

    if (last && problem_.epilogue.any()) {
      const TileEpilogue epilogue{.bias = problem_.epilogue.bias ? bias + kb * plan_.bk : nullptr,
                                  .residual = problem_.epilogue.residual ? residual + tile : nullptr,
                                  .ldr = plan_.bk,
                                  .relu = problem_.epilogue.relu};
      apply_epilogue(dst + tile, static_cast<int>(q_end - q_begin), static_cast<int>(plan_.bk), plan_.bk, epilogue);
    }
  });
}

}  // namespace brickwork
