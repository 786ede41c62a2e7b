// One convolution layer: sizes, text form, flops and bytes. Letters as in the paper.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace brickwork {

// What is done to an output element after the reduction, in this order: + bias[k], + residual[n][k][p][q], max(0, .).
struct ConvEpilogue {
  bool bias = false;
  bool residual = false;
  bool relu = false;

  bool any() const { return bias || residual || relu; }
  friend bool operator==(const ConvEpilogue&, const ConvEpilogue&) = default;
};
std::string to_string(const ConvEpilogue&);               // "none", "bias+relu", "bias+residual+relu", ...
ConvEpilogue parse_conv_epilogue(std::string_view text);  // inverse; throws std::invalid_argument

// dst[n][k][p][q] = sum over c, r, s of src[n][c][p*stride_h + r - pad_h][q*stride_w + s - pad_w] * weights[k][c][r][s]
// with zeros outside src. Dilation 1, one group. Plain tensors are NCHW (src, dst, residual) and KCRS (weights), f32.
struct ConvProblem {
  std::string name;  // the layer's name in its shape file; not part of the identity
  std::int64_t N = 1, C = 0, K = 0, H = 0, W = 0, R = 1, S = 1;
  std::int64_t stride_h = 1, stride_w = 1, pad_h = 0, pad_w = 0;
  ConvEpilogue epilogue;
  int count = 1;  // how often the network uses the layer: the weight of whole-network figures

  std::int64_t P() const { return (H + 2 * pad_h - R) / stride_h + 1; }  // output height
  std::int64_t Q() const { return (W + 2 * pad_w - S) / stride_w + 1; }  // output width

  std::int64_t src_size() const { return N * C * H * W; }  // elements
  std::int64_t weights_size() const { return K * C * R * S; }
  std::int64_t dst_size() const { return N * K * P() * Q(); }

  // 2*N*K*C*P*Q*R*S: taps that fall into the padding are counted, as every published figure counts them.
  double flops() const;
  // Without the taps that fall into the padding: the least that a direct convolution computes. A padded layer may stand
  // above the machine's peak in flops(), never in these.
  double least_flops() const;
  double bytes() const;  // src, weights, dst (and bias, residual) once each: the compulsory traffic

  // Throws std::invalid_argument with one sentence: a size <= 0, a product beyond 2^40 elements, a kernel larger
  // than the padded input.
  void validate() const;

  friend bool operator==(const ConvProblem&, const ConvProblem&);  // sizes and epilogue; not name and count
};

// "N28_C64_K256_H56_W56_R1_S1_sh1_sw1_ph0_pw0", with "_bias+relu" appended when there is an epilogue.
std::string to_string(const ConvProblem&);

// Reads "C64 K256 H56 R1": keys N C K H W R S sh sw ph pw in any order, separated by spaces, commas or underscores.
// W defaults to H, S to R, sw to sh, pw to ph, N, sh and R to 1, ph to 0. Also reads to_string's form.
// Throws std::invalid_argument naming the offending word; the problem is validated.
ConvProblem parse_conv_problem(std::string_view text);

// (name, value) of every size, in the column order of samples.csv.
std::vector<std::pair<std::string, std::string>> size_columns(const ConvProblem&);

}  // namespace brickwork
