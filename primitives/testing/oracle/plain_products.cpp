#include "primitives/testing/oracle/plain_products.hpp"

#include "primitives/testing/oracle/curves.hpp"

namespace brickwork::oracle {
namespace {

struct Axis {
  std::int64_t image, outputs, taps, stride, pad;

  bool has(std::int64_t pixel) const { return pixel >= 0 && pixel < image; }
};

Axis rows_of(const ConvProblem& p) { return {p.H, p.P(), p.R, p.stride_h, p.pad_h}; }
Axis columns_of(const ConvProblem& p) { return {p.W, p.Q(), p.S, p.stride_w, p.pad_w}; }

// The epilogue of output `at`; k is its index in the bias.
Interval with_epilogue(Sum& sum, const Epilogue& e, const PlainTensors& in, std::int64_t k, std::int64_t at) {
  if (e.bias) sum.add(Interval::of(in.at<float>("bias")[k]));
  if (e.residual) sum.add(Interval::of(in.at<float>("residual")[at]));
  return last_step(e, sum.value(), e.derivative ? in.at<float>("at")[at] : 0);
}

}  // namespace

Outcomes conv_forward(const ConvProblem& p, const PlainTensors& in) {
  const float *src = in.at<float>("src"), *weights = in.at<float>("weights");
  const Axis rows = rows_of(p), columns = columns_of(p);
  Intervals dst;
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t k = 0; k < p.K; ++k)
      for (std::int64_t i = 0; i < rows.outputs; ++i)
        for (std::int64_t j = 0; j < columns.outputs; ++j) {
          Sum sum;
          for (std::int64_t c = 0; c < p.C; ++c)
            for (std::int64_t r = 0; r < p.R; ++r)
              for (std::int64_t s = 0; s < p.S; ++s) {
                const std::int64_t h = i * rows.stride + r - rows.pad, w = j * columns.stride + s - columns.pad;
                const float weight = weights[((k * p.C + c) * p.R + r) * p.S + s];
                if (rows.has(h) && columns.has(w)) {
                  sum.add_product(src[((n * p.C + c) * p.H + h) * p.W + w], weight);
                } else {
                  sum.add_zero_times(weight);
                }
              }
          dst.push_back(with_epilogue(sum, p.epilogue, in, k, static_cast<std::int64_t>(dst.size())));
        }
  return {{"dst", dst}};
}

Outcomes conv_backward_data(const ConvProblem& p, const PlainTensors& in) {
  const float *ddst = in.at<float>("ddst"), *weights = in.at<float>("weights");
  const Axis rows = rows_of(p), columns = columns_of(p);
  Intervals dsrc;
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t c = 0; c < p.C; ++c)
      for (std::int64_t h = 0; h < p.H; ++h)
        for (std::int64_t w = 0; w < p.W; ++w) {
          Sum sum;
          for (std::int64_t r = 0; r < p.R; ++r)
            for (std::int64_t s = 0; s < p.S; ++s) {
              const std::int64_t down = h + rows.pad - r, right = w + columns.pad - s;
              if (down % rows.stride != 0 || right % columns.stride != 0) continue;
              const std::int64_t i = down / rows.stride, j = right / columns.stride;
              const bool there = i >= 0 && i < rows.outputs && j >= 0 && j < columns.outputs;
              for (std::int64_t k = 0; k < p.K; ++k) {
                const float weight = weights[((k * p.C + c) * p.R + r) * p.S + s];
                if (there) {
                  sum.add_product(ddst[((n * p.K + k) * rows.outputs + i) * columns.outputs + j], weight);
                } else {
                  sum.add_zero_times(weight);
                }
              }
            }
          dsrc.push_back(with_epilogue(sum, p.epilogue, in, c, static_cast<std::int64_t>(dsrc.size())));
        }
  return {{"dsrc", dsrc}};
}

Outcomes conv_weight_update(const ConvProblem& p, const PlainTensors& in) {
  const float *src = in.at<float>("src"), *ddst = in.at<float>("ddst");
  const Axis rows = rows_of(p), columns = columns_of(p);
  const auto gradient = [&](std::int64_t n, std::int64_t k, std::int64_t i, std::int64_t j) {
    return ddst[((n * p.K + k) * rows.outputs + i) * columns.outputs + j];
  };
  Intervals dweights, dbias;
  for (std::int64_t k = 0; k < p.K; ++k)
    for (std::int64_t c = 0; c < p.C; ++c)
      for (std::int64_t r = 0; r < p.R; ++r)
        for (std::int64_t s = 0; s < p.S; ++s) {
          Sum sum;
          for (std::int64_t n = 0; n < p.N; ++n)
            for (std::int64_t i = 0; i < rows.outputs; ++i)
              for (std::int64_t j = 0; j < columns.outputs; ++j) {
                const std::int64_t h = i * rows.stride + r - rows.pad, w = j * columns.stride + s - columns.pad;
                if (rows.has(h) && columns.has(w)) {
                  sum.add_product(src[((n * p.C + c) * p.H + h) * p.W + w], gradient(n, k, i, j));
                } else {
                  sum.add_zero_times(gradient(n, k, i, j));
                }
              }
          dweights.push_back(sum.value());
        }
  if (!p.epilogue.bias) return {{"dweights", dweights}};
  for (std::int64_t k = 0; k < p.K; ++k) {
    Sum sum;
    for (std::int64_t n = 0; n < p.N; ++n)
      for (std::int64_t i = 0; i < rows.outputs; ++i)
        for (std::int64_t j = 0; j < columns.outputs; ++j) sum.add(Interval::of(gradient(n, k, i, j)));
    dbias.push_back(sum.value());
  }
  return {{"dweights", dweights}, {"dbias", dbias}};
}

Outcomes fc_forward(const FcProblem& p, const PlainTensors& in) {
  const float *src = in.at<float>("src"), *weights = in.at<float>("weights");
  Intervals dst;
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t k = 0; k < p.K; ++k) {
      Sum sum;
      for (std::int64_t c = 0; c < p.C; ++c) sum.add_product(src[n * p.C + c], weights[k * p.C + c]);
      dst.push_back(with_epilogue(sum, p.epilogue, in, k, n * p.K + k));
    }
  return {{"dst", dst}};
}

Outcomes fc_backward_data(const FcProblem& p, const PlainTensors& in) {
  const float *ddst = in.at<float>("ddst"), *weights = in.at<float>("weights");
  Intervals dsrc;
  for (std::int64_t n = 0; n < p.N; ++n)
    for (std::int64_t c = 0; c < p.C; ++c) {
      Sum sum;
      for (std::int64_t k = 0; k < p.K; ++k) sum.add_product(ddst[n * p.K + k], weights[k * p.C + c]);
      dsrc.push_back(with_epilogue(sum, p.epilogue, in, c, n * p.C + c));
    }
  return {{"dsrc", dsrc}};
}

Outcomes fc_weight_update(const FcProblem& p, const PlainTensors& in) {
  const float *src = in.at<float>("src"), *ddst = in.at<float>("ddst");
  Intervals dweights, dbias;
  for (std::int64_t k = 0; k < p.K; ++k)
    for (std::int64_t c = 0; c < p.C; ++c) {
      Sum sum;
      for (std::int64_t n = 0; n < p.N; ++n) sum.add_product(src[n * p.C + c], ddst[n * p.K + k]);
      dweights.push_back(sum.value());
    }
  if (!p.epilogue.bias) return {{"dweights", dweights}};
  for (std::int64_t k = 0; k < p.K; ++k) {
    Sum sum;
    for (std::int64_t n = 0; n < p.N; ++n) sum.add(Interval::of(ddst[n * p.K + k]));
    dbias.push_back(sum.value());
  }
  return {{"dweights", dweights}, {"dbias", dbias}};
}

}  // namespace brickwork::oracle
