#include "conv/conv_winograd_update.hpp"

#include <algorithm>
#include <string>

#include "conv/conv_pack.hpp"
#include "league.hpp"

namespace brickwork {
namespace {

using HostSpace = Kokkos::DefaultHostExecutionSpace;

}  // namespace

// Two loops around the brick: g, of groups of tiles, which add up, and kb, of blocks of output features. For the
// first of these in a row the group's tiles of src are transformed, for all others they are there.
struct ConvWinogradUpdate::Body {
  const ConvWinogradUpdate& conv;
  const float *src, *ddst;
  PrivateCopies<float> sums;

  template <class Team>
  void operator()(const Team&, const LoopIndex& index) const {
    const auto& [bc, bk, tile, tiles, loops] = conv.plan_;
    const std::int64_t Cb = conv.src_.Cb(), next_src = next_winograd_place(Cb * tiles, bc),
                       next_ddst = next_winograd_place(tiles, bk), kb = index[WinogradLoop::kb].begin;
    const WinogradGroup group = conv.groups_[index[WinogradLoop::g].begin];
    float* const of_src = index.scratch<float>();
    float* const of_ddst = of_src + conv.places() * next_src;
    if (kb % conv.kb_of_group_ == 0) {
      conv.groups_.transform(conv.src_, src, group, of_src, next_src);
      for (std::int64_t block = 0; block < conv.places() * Cb; ++block) {
        fill_up(of_src + block / Cb * next_src + block % Cb * tiles * bc, group.size(), bc);
      }
    }
    conv.groups_.for_each_run(group, [&](const WinogradRun& run) {
      transform_dst_gradient(tile, conv.groups_.dst_tiles(conv.ddst_, ddst, run, kb), of_ddst + run.before * bk,
                             next_ddst);
    });
    for (std::int64_t place = 0; place < conv.places(); ++place) {
      fill_up(of_ddst + place * next_ddst, group.size(), bk);
    }
    const BrgemmKernel& brick = *conv.bricks_[index.first(WinogradLoop::g) ? 0 : 1];
    float* const to = sums.of(index.copy()) + kb * conv.places() * conv.block_of_sums();
    for (std::int64_t place = 0; place < conv.places(); ++place) {
      for (std::int64_t cb = 0; cb < Cb; ++cb) {
        const float* const A = of_src + place * next_src + cb * tiles * bc;
        brick({.batch = strided_batch(brick.shape(), A, of_ddst + place * next_ddst, 1),
               .c = to + place * conv.block_of_sums() + cb * bc * bk});
      }
    }
  }

  // The last group may lack tiles, and the brick's k has all.
  void fill_up(float* matrix, std::int64_t tiles, std::int64_t features) const {
    std::fill(matrix + tiles * features, matrix + conv.plan_.tiles * features, 0.0F);
  }
};

ConvWinogradUpdate::ConvWinogradUpdate(const ConvView& view, const WinogradPlan& plan, const LoopNest& nest,
                                       std::int64_t kb_of_group)
    : view_(view),
      plan_(plan),
      nest_(nest),
      src_(src_layout_of(view, plan.bc)),
      ddst_(dst_layout_of(view, plan.bk)),
      groups_(view, plan),
      kb_of_group_(kb_of_group),
      sums_(static_cast<std::size_t>(ddst_.Cb() * places() * block_of_sums())),
      copies_(static_cast<std::size_t>(nest.copies() - 1) * sums_.size()) {}

Result<ConvWinogradUpdate> ConvWinogradUpdate::make(const ConvProblem& problem, const WinogradPlan& plan,
                                                    Backend backend, Isa isa, const SimdTuning& tuning,
                                                    std::int64_t ddst_room_w) {
  ConvView view = forward_view(problem);
  view.room_h = 0, view.dst_room_w = ddst_room_w;
  if (const std::string why = winograd_lacks(view); !why.empty()) {
    return Result<ConvWinogradUpdate>::unsupported(why);
  }
  if (view.epilogue.bias) {
    return Result<ConvWinogradUpdate>::unsupported("Winograd's algorithm has no gradient of a bias");
  }
  if (const std::string what = winograd_misfit(view, plan); !what.empty()) {
    return Result<ConvWinogradUpdate>::misfit(what);
  }
  const auto nest = LoopNest::make(
      {{.name = "g", .extent = WinogradGroups(view, plan).count(), .kind = LoopKind::reduction_in_copies},
       {.name = "kb", .extent = ceil_div(view.K, plan.bk)}},
      plan.loops);
  if (!nest) return {nest.status(), nest.reason()};
  const auto blocks = blocks_of_a_group(*nest, plan);
  if (!blocks) return {blocks.status(), blocks.reason()};
  ConvWinogradUpdate conv(view, plan, *nest, *blocks);
  for (const int beta : {0, 1}) {
    const BrgemmShape shape{.m = static_cast<int>(plan.bc),
                            .n = static_cast<int>(plan.bk),
                            .k = static_cast<int>(plan.tiles),
                            .lda = plan.bc,
                            .ldb = plan.bk,
                            .ldc = plan.bk,
                            .a_transposed = true,
                            .beta = beta};
    auto brick = make_brgemm(shape, {.tuning = tuning}, backend, isa);
    if (!brick) return {brick.status(), brick.reason()};
    conv.bricks_[static_cast<std::size_t>(beta)] = *std::move(brick);
  }
  return conv;
}

void ConvWinogradUpdate::run(const float* src, const float* ddst, float* dweights) {
  const PrivateCopies<float> copies{sums_.data(), copies_.data(), static_cast<std::int64_t>(sums_.size())};
  nest_.run(HostSpace(), Body{*this, src, ddst, copies}, copies,
            {.threads = 1, .scratch_bytes = winograd_scratch_bytes(src_.Cb(), plan_)});
  const WeightLayout to = dweights_layout();
  const std::int64_t Cb = to.Cb(), elements = to.bc * to.bk;
  for_each_slice(to.Kb(), Cb, [&](auto kb, auto cb) {
    transform_weight_gradient(plan_.tile, sums_.data() + kb * places() * block_of_sums() + cb * elements,
                              block_of_sums(), elements, dweights + to.tap(kb, cb, 0, 0));
  });
}

}  // namespace brickwork
