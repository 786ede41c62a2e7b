#include "fc_ops.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>

namespace brickwork {
namespace {

template <class Row>
void for_each_row(const char* name, std::int64_t rows, const Row& row) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for(name, Kokkos::RangePolicy<Space>(0, rows), row);
  Kokkos::fence();
}

}  // namespace

std::vector<TensorInfo> FcForwardOp::inputs(const FcProblem& p) {
  using Dims = std::vector<std::int64_t>;
  return {{.name = "src", .dims = {p.N, p.C}, .per_image = true},
          {.name = "weights", .dims = {p.K, p.C}},
          {.name = "bias", .dims = p.epilogue.bias ? Dims{p.K} : Dims{}},
          {.name = "residual", .dims = p.epilogue.residual ? Dims{p.N, p.K} : Dims{}, .per_image = true}};
}

std::vector<TensorInfo> FcForwardOp::outputs(const FcProblem& p) {
  return {{.name = "dst", .dims = {p.N, p.K}, .per_image = true}};
}

void FcForwardOp::reference(const FcProblem& p, const PlainTensors& in, PlainTensors& out) {
  const double *src = in.at<double>("src"), *weights = in.at<double>("weights"), *bias = in.at<double>("bias"),
               *residual = in.at<double>("residual");
  double* dst = out.at<double>("dst");
  for_each_row("FcForwardOp::reference", p.K, [&](std::int64_t k) {
    for (std::int64_t n = 0; n < p.N; ++n) {
      double value = 0;
      for (std::int64_t c = 0; c < p.C; ++c) value += src[n * p.C + c] * weights[k * p.C + c];
      if (bias != nullptr) value += bias[k];
      if (residual != nullptr) value += residual[n * p.K + k];
      dst[n * p.K + k] = activated(p.epilogue.activation, value);
    }
  });
}

std::vector<TensorInfo> FcBackwardDataOp::inputs(const FcProblem& p) {
  using Dims = std::vector<std::int64_t>;
  return {{.name = "ddst", .dims = {p.N, p.K}, .per_image = true},
          {.name = "weights", .dims = {p.K, p.C}},
          {.name = "residual", .dims = p.epilogue.residual ? Dims{p.N, p.C} : Dims{}, .per_image = true},
          {.name = "at", .dims = p.epilogue.derivative ? Dims{p.N, p.C} : Dims{}, .per_image = true}};
}

std::vector<TensorInfo> FcBackwardDataOp::outputs(const FcProblem& p) {
  return {{.name = "dsrc", .dims = {p.N, p.C}, .per_image = true}};
}

void FcBackwardDataOp::reference(const FcProblem& p, const PlainTensors& in, PlainTensors& out) {
  const double *ddst = in.at<double>("ddst"), *weights = in.at<double>("weights"),
               *residual = in.at<double>("residual"), *at = in.at<double>("at");
  double* dsrc = out.at<double>("dsrc");
  for_each_row("FcBackwardDataOp::reference", p.N, [&](std::int64_t n) {
    double* row = dsrc + n * p.C;
    std::fill_n(row, p.C, 0.0);
    for (std::int64_t k = 0; k < p.K; ++k) {
      for (std::int64_t c = 0; c < p.C; ++c) row[c] += ddst[n * p.K + k] * weights[k * p.C + c];
    }
    for (std::int64_t c = 0; c < p.C; ++c) {
      if (residual != nullptr) row[c] += residual[n * p.C + c];
      if (at != nullptr) row[c] = times_derivative(p.epilogue.activation, row[c], at[n * p.C + c]);
    }
  });
}

std::vector<TensorInfo> FcWeightUpdateOp::inputs(const FcProblem& p) {
  return {{.name = "src", .dims = {p.N, p.C}, .per_image = true},
          {.name = "ddst", .dims = {p.N, p.K}, .per_image = true}};
}

std::vector<TensorInfo> FcWeightUpdateOp::outputs(const FcProblem& p) {
  using Dims = std::vector<std::int64_t>;
  return {{.name = "dweights", .dims = {p.K, p.C}}, {.name = "dbias", .dims = p.epilogue.bias ? Dims{p.K} : Dims{}}};
}

void FcWeightUpdateOp::reference(const FcProblem& p, const PlainTensors& in, PlainTensors& out) {
  const double *src = in.at<double>("src"), *ddst = in.at<double>("ddst");
  double *dweights = out.at<double>("dweights"), *dbias = out.at<double>("dbias");
  for_each_row("FcWeightUpdateOp::reference", p.K, [&](std::int64_t k) {
    double* row = dweights + k * p.C;
    std::fill_n(row, p.C, 0.0);
    for (std::int64_t n = 0; n < p.N; ++n) {
      for (std::int64_t c = 0; c < p.C; ++c) row[c] += ddst[n * p.K + k] * src[n * p.C + c];
    }
    if (dbias == nullptr) return;
    dbias[k] = 0;
    for (std::int64_t n = 0; n < p.N; ++n) dbias[k] += ddst[n * p.K + k];
  });
}

}  // namespace brickwork
