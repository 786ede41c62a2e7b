// How a convolution forward is blocked, ordered and spread over threads: a printable value, chosen by an analytic rule
// and open to be overridden, never hidden in the driver.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/brgemm/brgemm.hpp"
#include "primitives/conv/conv_view.hpp"
#include "primitives/nest/loop_schedule.hpp"
#include "primitives/op/size_table.hpp"
#include "primitives/planning/machine_model.hpp"

namespace brickwork {

enum class SrcAccess {
  cached,   // read where it lies
  prefetch  // the same, and a call asks for the src of a later one, where that comes from memory
};

enum class WeightsAccess {
  cached,   // read where they lie
  prefetch  // the same, and a call asks for those of the next one, where they come from memory
};

// Where a filter's taps are.
enum class Taps {
  batch,  // members of the batch, k = bc each
  // The S of a filter row are one k of S * bc, as taps and features lie next to each other in src and in the weights.
  // The rows of A overlap then (lda = stride_w * bc), so this is for backends that take overlapping rows. A first layer
  // with C = 3 needs no path of its own this way.
  k,
};

// What a call's pixels are.
enum class Pixels {
  rows,    // of an output row
  flat,    // of an image, whose pixels are one long row: see can_be_flat
  joined,  // of all images, whose pixels are one long row: for bricks of a device, whose tiles are as high as it is
           // long; src then lies between rows of zeros
};

constexpr Pixels flat_if(bool flat) { return flat ? Pixels::flat : Pixels::rows; }

// The loops are those of conv_forward_body.hpp.
struct ConvPlan {
  static const SizeTable<ConvPlan>& table();  // of all but the loops

  std::int64_t bc = 0, bk = 0;  // input and output features of a block
  std::int64_t bq = 0;          // output pixels (m) of one brick call; the last block of a row may be shorter
  Pixels pixels = Pixels::rows;
  Taps taps = Taps::batch;
  SrcAccess src = SrcAccess::cached;
  WeightsAccess weights = WeightsAccess::cached;
  CAccess dst = CAccess::cached;  // how the brick reaches it, where the caches cannot hold it
  LoopSchedule loops;

  bool flat() const { return pixels == Pixels::flat; }
  bool joined() const { return pixels == Pixels::joined; }
  friend bool operator==(const ConvPlan&, const ConvPlan&) = default;
};

// "bc=64 bk=64 bq=28 rows taps=batch src=cached weights=cached dst=cached loops={n kb} cb:4 oj oi"; or flat or joined,
// taps=k, src=prefetch, weights=prefetch, dst=prefetch or dst=stream
std::string to_string(const ConvPlan&);

// Inverse of to_string, the words before the loops in any order and, but for the sizes, left out where they are the
// first one of each pair above. Throws std::invalid_argument naming the offending word.
ConvPlan parse_conv_plan(std::string_view text);

// For 1x1 kernels without padding whose outputs lie next to each other, and of stride 1; or of any stride, where src is
// copied first.
bool can_be_flat(const ConvView&);
bool can_be_flat_copied(const ConvView&);
inline bool can_be_flat(const ConvProblem& p) { return can_be_flat(forward_view(p)); }
inline bool can_be_flat_copied(const ConvProblem& p) { return can_be_flat_copied(forward_view(p)); }

// Output pixels as the loops see them: N images of P rows of Q; of one row of P * Q when flat; one image of one row of
// N * P * Q when joined.
struct PixelGrid {
  std::int64_t images, rows, cols;
};
PixelGrid pixel_grid(const ConvView&, Pixels);
inline PixelGrid pixel_grid(const ConvProblem& p, Pixels pixels) { return pixel_grid(forward_view(p), pixels); }

// Why a task cannot keep so many bytes of pixels, gathered or made of them, or nothing.
std::string gathers_too_much(std::int64_t bytes, std::string_view what = "src=gathered");

// Blocks that are not the planner's to choose, as a tensor's are that another layer writes or reads; 0 leaves one to
// it.
struct FeatureBlocks {
  std::int64_t bc = 0, bk = 0;
};

// The analytic choice, from the problem, the threads, the cache sizes and what the backend can take.
ConvPlan plan_conv(const ConvView&, const MachineModel&, Backend = Backend::simd, FeatureBlocks = {});
inline ConvPlan plan_conv_forward(const ConvProblem& p, const MachineModel& machine, Backend backend = Backend::simd,
                                  FeatureBlocks blocks = {}) {
  return plan_conv(forward_view(p), machine, backend, blocks);
}

}  // namespace brickwork
