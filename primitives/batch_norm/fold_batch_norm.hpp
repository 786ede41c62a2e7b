// Batch normalisation behind a convolution, folded into it for inference: a scale of each filter and a bias.
#pragma once
#include <cstdint>

namespace brickwork {

// (conv(src, weights) - mean) / sqrt(variance + epsilon) * gamma + beta == conv(src, folded) + bias for weights
// [K][elements], KCRS with C * R * S elements a filter, and vectors [K]. `folded` may be `weights`. A convolution with
// a bias of its own hands in mean - bias. Where the mean is far from 0, beside the deviation, the convolution and the
// bias nearly cancel: each is rounded to f32 first, so that what is left has lost the digits that they have in common.
void fold_batch_norm(std::int64_t K, std::int64_t elements, const float* weights, const float* gamma, const float* beta,
                     const float* mean, const float* variance, float* folded, float* bias);

}  // namespace brickwork
