// What the OpenBLAS baselines share.
#pragma once
#include <cblas.h>
#include <fmt/format.h>

#include <cstdint>
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

// C [m][n] = A [m][k] * B [k][n] + beta * C, all row-major, with A or B as its transpose where it is said to be.
struct Factor {
  const float* data;
  std::int64_t row;  // elements from one of its rows to the next
  bool transposed = false;
};
inline void sgemm(std::int64_t m, std::int64_t n, std::int64_t k, Factor a, Factor b, float beta, float* c) {
  const auto transpose = [](const Factor& f) { return f.transposed ? CblasTrans : CblasNoTrans; };
  cblas_sgemm(CblasRowMajor, transpose(a), transpose(b), static_cast<blasint>(m), static_cast<blasint>(n),
              static_cast<blasint>(k), 1.0f, a.data, static_cast<blasint>(a.row), b.data, static_cast<blasint>(b.row),
              beta, c, static_cast<blasint>(n));
}

}  // namespace brickwork::openblas
