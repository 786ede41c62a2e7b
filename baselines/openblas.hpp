// What the OpenBLAS baselines share.
#pragma once
#include <cblas.h>
#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace brickwork::openblas {

// "0.3.21", out of "OpenBLAS 0.3.21 NO_AFFINITY USE_OPENMP ..."
inline std::string version() {
  const std::string config = openblas_get_config();
  const auto begin = config.find(' ') + 1;
  return config.substr(begin, config.find(' ', begin) - begin);
}

inline std::string isa() { return openblas_get_corename(); }

// The setting belongs to the process; every contender of a run uses the same number.
inline void use_threads(int threads) {
  openblas_set_num_threads(threads);
  if (openblas_get_num_threads() != threads) {
    throw std::runtime_error(fmt::format("OpenBLAS uses {} of the {} threads asked for: its build allows no more",
                                         openblas_get_num_threads(), threads));
  }
}

}  // namespace brickwork::openblas
