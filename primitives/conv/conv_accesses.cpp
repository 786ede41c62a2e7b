#include "primitives/conv/conv_accesses.hpp"

#include <numeric>

#include "kernels/base/floats.hpp"

namespace brickwork {
namespace {

enum ForwardTensor : std::size_t { kSrc, kWeights, kDst };  // of conv_forward_touches()

double of_place(const BytesByPlace& bytes, CachePlace place) { return bytes[static_cast<std::size_t>(place)]; }

// Whether most of the tensor's elements come from memory once.
bool comes_from_memory(const TensorTraffic& tensor) {
  return of_place(tensor.read, CachePlace::memory) > 0.5 * tensor.once;
}

// A pixel that is one long run in memory needs no prefetch. On machines that prefer src=blocks, half a KiB is not long:
// ResNet-50's second, fourth and eighth layers are 1 to 3 % faster with prefetches, but 2 % slower with runs of 2 KiB
// (Zen 5).
bool needs_prefetch(const ConvPlan& plan, const ConvView& p, const MachineModel& machine) {
  constexpr std::int64_t kLongRun = 256;
  return plan.bc < p.C || (machine.src != FarSrc::runs && plan.taps == Taps::batch && plan.bc < kLongRun);
}

// With few multiply-adds an output, the time goes into storing dst. With many, stores past the caches cost nothing, and
// they halve the traffic of dst: ResNet-50's fourth layer is 5 % faster (Emerald Rapids). Otherwise a core waits for
// stores past the caches if rows of dst are single lines: ResNet-50's first layer is 5 % slower with them, and 8 %
// faster if the lines of dst are prefetched instead.
CAccess far_dst(const ConvPlan& plan, const ConvView& p, const MachineModel& machine) {
  constexpr std::int64_t kFewFmas = 64, kManyFmas = 512;
  const std::int64_t pixels = p.step_h * p.step_w, fmas = p.C * p.R * p.S;
  // The zeros between the pixels of a phase are stored past the caches, too: ResNet-50's twelfth layer backward by data
  // is 8 % faster (Zen 4).
  if (pixels > 1 || fmas < kFewFmas) return CAccess::stream;
  if (plan.bk <= kFloatsOfLine) return CAccess::prefetch;
  return fmas >= kManyFmas ? CAccess::stream : machine.far;
}

}  // namespace

// dst and the weights count as far if they alone are larger than a cache: they are still in L3 at their next use
// although other tensors pass in between.
void set_accesses(ConvPlan& plan, const ConvView& p, const MachineModel& machine, const Traffic& traffic) {
  // With calls of few pixels, prefetches of weights cost more than they save: 2 % with 8 pixels (Zen 5).
  constexpr std::int64_t kFewPixels = 8;
  const TensorTraffic &src = traffic.of[kSrc], &weights = traffic.of[kWeights], &dst = traffic.of[kDst];
  const CacheHierarchy caches = machine.caches();
  const auto size_of_cache = [&](CachePlace place) {
    return static_cast<double>(caches.bytes[static_cast<std::size_t>(place)]);
  };
  const bool few = p.N * p.rows * p.cols <= kFewPixels, far_weights = weights.once > size_of_cache(CachePlace::l3);
  plan.src = comes_from_memory(src) && needs_prefetch(plan, p, machine) ? SrcAccess::prefetch : SrcAccess::cached;
  plan.weights = far_weights && !few ? WeightsAccess::prefetch : WeightsAccess::cached;
  const double written = std::accumulate(dst.written.begin(), dst.written.end(), 0.0);
  const bool once = written < 1.5 * dst.once;  // a last register tile counts as a whole one
  if (dst.once <= 0.75 * size_of_cache(CachePlace::l2)) {
    plan.dst = CAccess::cached;
  } else {
    plan.dst = once && dst.once > size_of_cache(CachePlace::l3) ? far_dst(plan, p, machine) : CAccess::prefetch;
  }
}

}  // namespace brickwork
