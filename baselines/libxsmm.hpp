// What the LIBXSMM baselines share.
#pragma once
#include <libxsmm.h>

#include <optional>
#include <string>

namespace brickwork::libxsmm {

// Without a code generator every GEMM that the library is asked for is null, and its own convolution calls it.
inline std::optional<std::string> unsupported_cpu() {
  if (libxsmm_get_target_archid() > LIBXSMM_X86_GENERIC) return std::nullopt;
  return "LIBXSMM generates no code here: it needs an x86 CPU with SSE3, and LIBXSMM_TARGET must not be 'generic'";
}

}  // namespace brickwork::libxsmm
