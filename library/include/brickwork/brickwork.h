/* Brickwork as a library: the batch-reduce GEMM, and convolution, fully connected and LSTM layers on the CPU, for C and
 * whatever calls C.
 *
 * Errors. Every function that can fail returns a status; brickwork_last_error() says in one sentence what was wrong. No
 * exception leaves the library and nothing ends the program. A create function that fails writes a null handle. No
 * pointer may be null, except bias and dbias where the shape or the layer has none.
 *
 * Handles are numbers, not addresses: one that was destroyed, or is of another kind, is refused. Different handles may
 * be used at the same time on different threads. Calls on one layer or one LSTM wait for each other; many threads may
 * run one brgemm at the same time, each with its own C.
 *
 * Tensors are f32 and row-major. Letters are the paper's (Georganas et al., "High-Performance Deep Learning via a
 * Single Building Block", arXiv 1906.06440): N images or sequences, C and K input and output features, H W input
 * pixels, P Q output pixels, R S filter taps, T steps. */
#ifndef BRICKWORK_H
#define BRICKWORK_H
#include <stdint.h>

#if defined(__GNUC__)
#define BRICKWORK_API __attribute__((visibility("default")))
#else
#define BRICKWORK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum brickwork_status {
  BRICKWORK_OK = 0,
  BRICKWORK_BAD_ARGUMENT = 1, /* a size, a pointer, a handle or a text is wrong */
  BRICKWORK_UNSUPPORTED = 2,  /* right, but not on this machine or in this build */
  BRICKWORK_OUT_OF_MEMORY = 3,
  BRICKWORK_FAILED = 4 /* anything else */
} brickwork_status;

/* The sentence of this thread's last call that failed; "" if none did. It is valid until the thread's next call. */
BRICKWORK_API const char* brickwork_last_error(void);
BRICKWORK_API const char* brickwork_version(void); /* "0.1.0" */

/* Sets how many threads layers and LSTMs use; a brgemm uses the thread that runs it. Call it before the first layer or
 * LSTM is made and before brickwork_tune(). Otherwise they use those of OMP_NUM_THREADS, or all cores: the library does
 * not read the CPU quota of a container. It starts Kokkos, unless the program has done so before; then it uses that. */
BRICKWORK_API brickwork_status brickwork_set_threads(int threads);
BRICKWORK_API int brickwork_threads(void);

/* Chooses the tuning of handles that are made later, which is what the kernels do differently from processor to
 * processor. "default"; "calibrate", which takes some seconds and keeps the result in $XDG_CACHE_HOME/brickwork or
 * ~/.cache/brickwork; "", the kept result, or a calibration where there is none; or a tuning as brickwork prints it.
 * Without this call: the default. */
BRICKWORK_API brickwork_status brickwork_tune(const char* text);

typedef enum brickwork_activation {
  BRICKWORK_NO_ACTIVATION = 0,
  BRICKWORK_RELU = 1,
  BRICKWORK_SIGMOID = 2,
  BRICKWORK_TANH = 3,
  BRICKWORK_GELU = 4 /* its form with tanh */
} brickwork_activation;

/* ---- Batch-reduce GEMM ---- */

/* C[m][n] = activation(beta * C[m][n] + bias[n] + sum over i < batch, k of A_i[m][k] * B_i[k][n]) on one thread.
 * A_i begins stride_a * i elements after A, B_i likewise. lda may be smaller than k: rows of A may overlap. */
typedef struct brickwork_brgemm_shape {
  int m, n, k;
  int64_t lda, ldb, ldc;      /* elements from row to row; ldb, ldc >= n */
  int64_t stride_a, stride_b; /* elements from one member of the batch to the next */
  int beta;                   /* 0 or 1 */
  int bias;                   /* whether calls have a bias: 0 or 1 */
  int activation;             /* a brickwork_activation */
} brickwork_brgemm_shape;

typedef struct brickwork_brgemm_handle* brickwork_brgemm;

BRICKWORK_API brickwork_status brickwork_brgemm_create(const brickwork_brgemm_shape* shape, brickwork_brgemm* brgemm);
/* bias: n floats, or null where the shape has none. */
BRICKWORK_API brickwork_status brickwork_brgemm_run(brickwork_brgemm brgemm, const float* a, const float* b,
                                                    int64_t batch, const float* bias, float* c);
/* Like brickwork_brgemm_run(), but with A_i at a[i] and B_i at b[i]. It ignores the shape's strides. */
BRICKWORK_API brickwork_status brickwork_brgemm_run_pointers(brickwork_brgemm brgemm, const float* const* a,
                                                             const float* const* b, int64_t batch, const float* bias,
                                                             float* c);
BRICKWORK_API brickwork_status brickwork_brgemm_destroy(brickwork_brgemm brgemm);

/* ---- Convolution and fully connected layers ---- */

typedef enum brickwork_layout {
  BRICKWORK_NCHW = 0,
  BRICKWORK_NHWC = 1,  /* of a fully connected layer: [N][C] */
  BRICKWORK_PACKED = 2 /* as the layer wants it: brickwork_layer_pack() */
} brickwork_layout;

/* The activations that a pass reads or writes, each packed as that pass wants it. */
typedef enum brickwork_tensor {
  BRICKWORK_FORWARD_SRC = 0,        /* N C H W */
  BRICKWORK_FORWARD_DST = 1,        /* N K P Q */
  BRICKWORK_BACKWARD_DATA_DDST = 2, /* gradient of dst */
  BRICKWORK_BACKWARD_DATA_DSRC = 3, /* gradient of src */
  BRICKWORK_BACKWARD_WEIGHTS_SRC = 4,
  BRICKWORK_BACKWARD_WEIGHTS_DDST = 5
} brickwork_tensor;

/* dst = activation(convolution of src with weights + bias); P = (H + 2 pad_h - R) / stride_h + 1, Q likewise. */
typedef struct brickwork_conv_sizes {
  int64_t N, C, K, H, W, R, S;
  int64_t stride_h, stride_w, pad_h, pad_w;
  int bias;       /* whether the layer has one: 0 or 1 */
  int training;   /* whether it has backward passes: 0 or 1 */
  int activation; /* a brickwork_activation */
  int layout;     /* a brickwork_layout: of all activations that the layer's functions take */
} brickwork_conv_sizes;

/* dst [N][K] = activation(src [N][C] times weights [K][C], transposed, + bias [K]) */
typedef struct brickwork_linear_sizes {
  int64_t N, C, K;
  int bias, training;
  int activation; /* a brickwork_activation */
  int layout;     /* BRICKWORK_NHWC or BRICKWORK_PACKED */
} brickwork_linear_sizes;

typedef struct brickwork_layer_handle* brickwork_layer;

BRICKWORK_API brickwork_status brickwork_conv_create(const brickwork_conv_sizes* sizes, brickwork_layer* layer);
BRICKWORK_API brickwork_status brickwork_linear_create(const brickwork_linear_sizes* sizes, brickwork_layer* layer);

/* weights [K][C][R][S]; bias [K], or null where the layer has none. Both are copied, and kept until they are set again.
 */
BRICKWORK_API brickwork_status brickwork_layer_set_weights(brickwork_layer layer, const float* weights,
                                                           const float* bias);
BRICKWORK_API brickwork_status brickwork_layer_forward(brickwork_layer layer, const float* src, float* dst);
/* ddst is the gradient of the activation's input. Where the layer has an activation, first multiply the gradient of dst
 * by the activation's derivative. */
BRICKWORK_API brickwork_status brickwork_layer_backward_data(brickwork_layer layer, const float* ddst, float* dsrc);
/* dweights [K][C][R][S]; dbias [K], or null where the layer has none. Both are overwritten. */
BRICKWORK_API brickwork_status brickwork_layer_backward_weights(brickwork_layer layer, const float* src,
                                                                const float* ddst, float* dweights, float* dbias);

/* Floats of a packed tensor, and the way there and back. `tensor` is a brickwork_tensor, `from` and `to` are
 * BRICKWORK_NCHW or BRICKWORK_NHWC. Only the layer and the pass that a tensor is packed for can read it. A packed
 * tensor that a pass writes must begin as zeros: padding inside it is never written. */
BRICKWORK_API brickwork_status brickwork_layer_packed_size(brickwork_layer layer, int tensor, int64_t* floats);
BRICKWORK_API brickwork_status brickwork_layer_pack(brickwork_layer layer, int tensor, int from, const float* plain,
                                                    float* packed);
BRICKWORK_API brickwork_status brickwork_layer_unpack(brickwork_layer layer, int tensor, int to, const float* packed,
                                                      float* plain);
BRICKWORK_API brickwork_status brickwork_layer_destroy(brickwork_layer layer);

/* ---- LSTM ---- */

/* L layers, each on top of the one before. D, below, is 2 if bidirectional, else 1. */
typedef struct brickwork_lstm_sizes {
  int64_t T, N, C, K, L;
  int bidirectional;
  int training; /* 1: forward keeps what backward needs */
} brickwork_lstm_sizes;

typedef struct brickwork_lstm_handle* brickwork_lstm;

BRICKWORK_API brickwork_status brickwork_lstm_create(const brickwork_lstm_sizes* sizes, brickwork_lstm* lstm);
/* Copies the weights of one layer, counted from 0; C_0 is C, every other C_l is D * K. Gates are in the order i f g o.
 * input [D][C_l][4][K], state [D][K][4][K], bias [D][4][K]. What forward kept for backward is lost. */
BRICKWORK_API brickwork_status brickwork_lstm_set_weights(brickwork_lstm lstm, int64_t layer, const float* input,
                                                          const float* state, const float* bias);
/* x [T][N][C]; h0 and c0 [L * D][N][K]; y [T][N][D * K]; hT and cT as h0. */
BRICKWORK_API brickwork_status brickwork_lstm_forward(brickwork_lstm lstm, const float* x, const float* h0,
                                                      const float* c0, float* y, float* hT, float* cT);
/* Computes the gradients of x, h0 and c0 from those of y, hT and cT. Needs training = 1 and a forward before. */
BRICKWORK_API brickwork_status brickwork_lstm_backward(brickwork_lstm lstm, const float* dy, const float* dhT,
                                                       const float* dcT, float* dx, float* dh0, float* dc0);
/* Copies the gradients of one layer's weights, which the last backward computed. They lie as the weights do. */
BRICKWORK_API brickwork_status brickwork_lstm_weight_gradients(brickwork_lstm lstm, int64_t layer, float* input,
                                                               float* state, float* bias);
BRICKWORK_API brickwork_status brickwork_lstm_destroy(brickwork_lstm lstm);

#ifdef __cplusplus
}
#endif
#endif
