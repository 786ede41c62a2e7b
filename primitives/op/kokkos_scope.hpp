// Starts Kokkos for the lifetime of a program; a program may start it only once.
#pragma once
#include <string>

namespace brickwork {

// Why Kokkos cannot start here, in one sentence, or empty: a Kokkos with CUDA needs a device even for its host space.
// Includes no Kokkos header and may be called before Kokkos is started.
std::string kokkos_absent();

class KokkosScope {
 public:
  explicit KokkosScope(int threads);  // throws std::runtime_error if Kokkos is absent
  ~KokkosScope();
  KokkosScope(const KokkosScope&) = delete;
  KokkosScope& operator=(const KokkosScope&) = delete;
};

std::string kokkos_configuration();  // as Kokkos prints it, several lines

}  // namespace brickwork
