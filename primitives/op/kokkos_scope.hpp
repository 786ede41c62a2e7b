// Kokkos for as long as a program runs, which may start it only once.
#pragma once
#include <string>

namespace brickwork {

// Why Kokkos cannot start here, in one sentence, or nothing: one with CUDA starts all of its spaces or none, the host's
// not without a device either. Free of Kokkos' headers; may be asked before it is started.
std::string kokkos_absent();

class KokkosScope {
 public:
  explicit KokkosScope(int threads);  // throws std::runtime_error where it is absent
  ~KokkosScope();
  KokkosScope(const KokkosScope&) = delete;
  KokkosScope& operator=(const KokkosScope&) = delete;
};

std::string kokkos_configuration();  // as Kokkos prints it, in lines

}  // namespace brickwork
