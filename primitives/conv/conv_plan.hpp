// The plan of a convolution's forward pass: its blocks, loop order and threads, as a printable value. An analysis
// of the loops chooses it, and a caller can choose another one.
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
  cached,   // no prefetch
  prefetch  // a call prefetches the src of a later call, for src that comes from memory
};

enum class WeightsAccess {
  cached,   // no prefetch
  prefetch  // calls prefetch the block of weights that comes next, for weights that come from memory
};

// How the filter's taps enter a brick call.
enum class Taps {
  batch,  // each tap is a member of the batch, with k = bc
  // The S taps of a filter row are one k of S * bc, as taps and features lie next to each other in src and in the
  // weights. Rows of A then overlap (lda = stride_w * bc), so this needs a backend that takes overlapping rows. With it
  // a first layer with C = 3 needs no special path.
  k,
};

// The output pixels that one brick call can take together.
enum class Pixels {
  rows,    // pixels of one output row
  flat,    // pixels of one image, as one long row: see can_be_flat
  joined,  // pixels of all images, as one long row: for the bricks of a device, whose tiles have many rows. src then
           // needs rows of zeros above and below its images
};

constexpr Pixels flat_if(bool flat) { return flat ? Pixels::flat : Pixels::rows; }

// The loops are those of conv_forward_body.hpp.
struct ConvPlan {
  static const SizeTable<ConvPlan>& table();  // everything except the loops

  std::int64_t bc = 0, bk = 0;  // input and output features per block
  std::int64_t bq = 0;          // output pixels (m) of one brick call; the last block of a row may be shorter
  Pixels pixels = Pixels::rows;
  Taps taps = Taps::batch;
  SrcAccess src = SrcAccess::cached;
  WeightsAccess weights = WeightsAccess::cached;
  CAccess dst = CAccess::cached;  // how the brick accesses dst
  LoopSchedule loops;

  bool flat() const { return pixels == Pixels::flat; }
  bool joined() const { return pixels == Pixels::joined; }
  friend bool operator==(const ConvPlan&, const ConvPlan&) = default;
};

// "bc=64 bk=64 bq=28 rows taps=batch src=cached weights=cached dst=cached loops={n kb} cb:4 oj oi". Other words are:
// flat or joined, taps=k, src=prefetch, weights=prefetch, dst=prefetch or dst=stream.
std::string to_string(const ConvPlan&);

// Inverse of to_string. The words before the loops can have any order. Words other than bc=, bk= and bq= have defaults,
// those of the example above. Throws std::invalid_argument that names the offending word.
ConvPlan parse_conv_plan(std::string_view text);

// Whether pixels can be flat: for 1x1 kernels without padding, with stride 1 and outputs next to each other. With
// can_be_flat_copied() the stride may be any, as src is copied first.
bool can_be_flat(const ConvView&);
bool can_be_flat_copied(const ConvView&);
inline bool can_be_flat(const ConvProblem& p) { return can_be_flat(forward_view(p)); }
inline bool can_be_flat_copied(const ConvProblem& p) { return can_be_flat_copied(forward_view(p)); }

// The output pixels of the loops: N images of P rows of Q pixels; if flat, N images of one row of P * Q; if joined, one
// image of one row of N * P * Q.
struct PixelGrid {
  std::int64_t images, rows, cols;
};
PixelGrid pixel_grid(const ConvView&, Pixels);
inline PixelGrid pixel_grid(const ConvProblem& p, Pixels pixels) { return pixel_grid(forward_view(p), pixels); }

// Why a task cannot keep this many bytes of gathered or transformed pixels, or an empty string. `what` is the word of
// the plan that needs them.
std::string gathers_too_much(std::int64_t bytes, std::string_view what = "src=gathered");

// Block sizes that the planner must use, as another layer writes or reads the tensor in these blocks. 0 leaves the
// choice to the planner.
struct FeatureBlocks {
  std::int64_t bc = 0, bk = 0;
};

// Chooses a plan by analysis of its variants (conv_variants.hpp) from the problem, the machine and the backend's
// abilities.
ConvPlan plan_conv(const ConvView&, const MachineModel&, Backend = Backend::simd, FeatureBlocks = {});
inline ConvPlan plan_conv_forward(const ConvProblem& p, const MachineModel& machine, Backend backend = Backend::simd,
                                  FeatureBlocks blocks = {}) {
  return plan_conv(forward_view(p), machine, backend, blocks);
}

}  // namespace brickwork
