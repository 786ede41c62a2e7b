#include "primitives/op/kokkos_scope.hpp"

#include <Kokkos_Core.hpp>
#include <sstream>
#include <stdexcept>

#include "kernels/gpu/cuda/cuda_absent.hpp"

namespace brickwork {

std::string kokkos_absent() {
#ifdef KOKKOS_ENABLE_CUDA
  if (const std::string why = cuda_absent(); !why.empty()) {
    return "this build's Kokkos has CUDA and cannot start without a device, not even on the host only: " + why;
  }
#endif
  return "";
}

KokkosScope::KokkosScope(int threads) {
  if (const std::string why = kokkos_absent(); !why.empty()) throw std::runtime_error(why);
  Kokkos::initialize(Kokkos::InitializationSettings().set_num_threads(threads).set_disable_warnings(true));
}

KokkosScope::~KokkosScope() { Kokkos::finalize(); }

std::string kokkos_configuration() {
  std::ostringstream text;
  Kokkos::print_configuration(text);
  return text.str();
}

}  // namespace brickwork
