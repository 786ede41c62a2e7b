// Whether LIBXSMM generates code that this CPU can run. LIBXSMM does not check that itself: without a generator its
// convolution calls a null pointer, and code for another CPU ends in an illegal instruction.
#pragma once
#include <fmt/format.h>
#include <libxsmm.h>

#include <optional>
#include <string>

namespace brickwork::libxsmm {

// The reason if it does not; nullopt if it does.
inline std::optional<std::string> unsupported_target() {
  const int target = libxsmm_get_target_archid(), cpu = libxsmm_cpuid();
  if (target <= LIBXSMM_X86_GENERIC) {
    return fmt::format(
        "LIBXSMM generates no code for its target '{}': it needs an x86 CPU with SSE3, and LIBXSMM_TARGET must be "
        "unset "
        "or name one",
        libxsmm_get_target_arch());
  }
  // Xeon Phi has instructions of its own, but a smaller number than CPUs that lack them.
  const bool xeon_phi = target == LIBXSMM_X86_AVX512_MIC || target == LIBXSMM_X86_AVX512_KNM;
  if (target > cpu || (xeon_phi && target != cpu)) {
    return fmt::format("LIBXSMM's target '{}' is more than this CPU, a '{}', can run: unset LIBXSMM_TARGET",
                       libxsmm_get_target_arch(), libxsmm_cpuid_name(cpu));
  }
  return std::nullopt;
}

}  // namespace brickwork::libxsmm
