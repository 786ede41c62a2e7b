// Whether LIBXSMM makes code that runs here. It does not refuse by itself: without a generator its own convolution
// calls null, and code for a CPU that is not here ends in an illegal instruction.
#pragma once
#include <fmt/format.h>
#include <libxsmm.h>

#include <optional>
#include <string>

namespace brickwork::libxsmm {

// Why it does not, or nothing.
inline std::optional<std::string> unsupported_target() {
  const int target = libxsmm_get_target_archid(), cpu = libxsmm_cpuid();
  if (target <= LIBXSMM_X86_GENERIC) {
    return fmt::format(
        "LIBXSMM generates no code for its target '{}': it needs an x86 CPU with SSE3, and LIBXSMM_TARGET must be "
        "unset "
        "or name one",
        libxsmm_get_target_arch());
  }
  // Xeon Phi has instructions of its own, but a smaller number than the CPUs that lack them.
  const bool xeon_phi = target == LIBXSMM_X86_AVX512_MIC || target == LIBXSMM_X86_AVX512_KNM;
  if (target > cpu || (xeon_phi && target != cpu)) {
    return fmt::format("LIBXSMM's target '{}' is more than this CPU, a '{}', can run: unset LIBXSMM_TARGET",
                       libxsmm_get_target_arch(), libxsmm_cpuid_name(cpu));
  }
  return std::nullopt;
}

}  // namespace brickwork::libxsmm
