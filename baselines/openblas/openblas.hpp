// Version, threads and SGEMM of OpenBLAS, for the OpenBLAS baselines.
#pragma once
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace brickwork::openblas {

// "0.3.21", from "OpenBLAS 0.3.21 NO_AFFINITY USE_OPENMP ..."
inline std::string version() {
  const std::string config = openblas_get_config();
  const auto begin = config.find(' ') + 1;
  return config.substr(begin, config.find(' ', begin) - begin);
}

inline std::string isa() { return openblas_get_corename(); }

// Why OpenBLAS cannot multiply matrices of these sizes, which the message calls `names`; nullopt if it can.
inline std::optional<std::string> unsupported(std::initializer_list<std::int64_t> sizes, std::string_view names,
                                              int threads) {
  if (std::max(sizes) > std::numeric_limits<blasint>::max()) {
    return fmt::format("OpenBLAS takes matrices of up to 2^31 - 1 rows and columns: {} must not exceed that", names);
  }
  if (threads > 1 && openblas_get_parallel() != OPENBLAS_OPENMP) {
    return "this OpenBLAS brings its own threads: link its OpenMP build, or use one thread";
  }
  return std::nullopt;
}

// Sets OpenBLAS's number of threads; every contender of a run uses the same number.
inline void use_threads(int threads) {
  openblas_set_num_threads(threads);
  if (openblas_get_num_threads() != threads) {
    throw std::runtime_error(fmt::format("OpenBLAS uses {} of the {} threads asked for: its build allows no more",
                                         openblas_get_num_threads(), threads));
  }
}

// C [m][n] = A [m][k] * B [k][n] + beta * C, all row-major. If `transposed`, memory holds the factor's transpose.
struct Factor {
  const float* data;
  std::int64_t row;  // elements between its rows
  bool transposed = false;
};
struct Product {
  float* data;
  std::int64_t row;
};
inline void sgemm(std::int64_t m, std::int64_t n, std::int64_t k, Factor a, Factor b, float beta, Product c) {
  const auto transpose = [](const Factor& f) { return f.transposed ? CblasTrans : CblasNoTrans; };
  cblas_sgemm(CblasRowMajor, transpose(a), transpose(b), static_cast<blasint>(m), static_cast<blasint>(n),
              static_cast<blasint>(k), 1.0f, a.data, static_cast<blasint>(a.row), b.data, static_cast<blasint>(b.row),
              beta, c.data, static_cast<blasint>(c.row));
}
inline void sgemm(std::int64_t m, std::int64_t n, std::int64_t k, Factor a, Factor b, float beta, float* c) {
  sgemm(m, n, k, a, b, beta, Product{c, n});
}

}  // namespace brickwork::openblas
