// The libraries against which our convolutions are measured. Each exists in every build: see absent_library().
#pragma once
#include "baselines/contender/contender.hpp"
#include "baselines/contender/precision.hpp"
#include "primitives/conv/op/conv_backward_data_op.hpp"
#include "primitives/conv/op/conv_forward_op.hpp"
#include "primitives/conv/op/conv_weight_update_op.hpp"

namespace brickwork {

Contender<ConvForwardOp> onednn_conv();       // in its own best layouts (format any)
Contender<ConvForwardOp> libxsmm_dnn_conv();  // the paper authors' own primitive
Contender<ConvForwardOp> im2col_conv();       // im2col and OpenBLAS's SGEMM, NCHW
Contender<ConvForwardOp> small_gemm_conv();   // the direct loops with one LIBXSMM GEMM per (c block, r, s)

Contender<ConvBackwardDataOp> onednn_conv_backward_data();
Contender<ConvBackwardDataOp> libxsmm_dnn_conv_backward_data();
Contender<ConvBackwardDataOp> col2im_conv_backward_data();  // OpenBLAS's SGEMM and col2im, NCHW

Contender<ConvWeightUpdateOp> onednn_conv_weight_update();
Contender<ConvWeightUpdateOp> libxsmm_dnn_conv_weight_update();
Contender<ConvWeightUpdateOp> im2col_conv_weight_update();  // im2col and OpenBLAS's SGEMM, summed over the images

// Each pass on a GPU: the fastest of cuDNN's direct algorithms; and the fastest of its Winograd and Fourier transforms,
// which do fewer operations than are counted.
template <Operation Op>
Contender<Op> cudnn_conv(Precision);
template <Operation Op>
Contender<Op> cudnn_conv_transforms(Precision);

}  // namespace brickwork
