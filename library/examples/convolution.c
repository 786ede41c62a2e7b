/* One 3x3 convolution of NCHW tensors, checked against a loop. */
#include <brickwork/brickwork.h>
#include <stdio.h>

enum { N = 2, C = 8, K = 16, H = 10, W = 12, R = 3, S = 3 };

static float src[N][C][H][W], weights[K][C][R][S], bias[K], dst[N][K][H][W];

static float by_loop(int n, int k, int p, int q) {
  float sum = bias[k];
  for (int c = 0; c < C; ++c)
    for (int r = 0; r < R; ++r)
      for (int s = 0; s < S; ++s) {
        const int h = p + r - 1, w = q + s - 1; /* padding of 1 */
        if (h >= 0 && h < H && w >= 0 && w < W) sum += src[n][c][h][w] * weights[k][c][r][s];
      }
  return sum;
}

int main(void) {
  for (int i = 0; i < N * C * H * W; ++i) (&src[0][0][0][0])[i] = (float)(i % 7 - 3);
  for (int i = 0; i < K * C * R * S; ++i) (&weights[0][0][0][0])[i] = (float)(i % 5 - 2);
  for (int k = 0; k < K; ++k) bias[k] = (float)k;

  const brickwork_conv_sizes sizes = {.N = N, .C = C, .K = K, .H = H, .W = W, .R = R, .S = S, .stride_h = 1,
                                      .stride_w = 1, .pad_h = 1, .pad_w = 1, .bias = 1, .layout = BRICKWORK_NCHW};
  brickwork_layer layer;
  if (brickwork_conv_create(&sizes, &layer) != BRICKWORK_OK ||
      brickwork_layer_set_weights(layer, &weights[0][0][0][0], bias) != BRICKWORK_OK ||
      brickwork_layer_forward(layer, &src[0][0][0][0], &dst[0][0][0][0]) != BRICKWORK_OK) {
    fprintf(stderr, "%s\n", brickwork_last_error());
    return 1;
  }
  brickwork_layer_destroy(layer);

  int wrong = 0;
  for (int n = 0; n < N; ++n)
    for (int k = 0; k < K; ++k)
      for (int p = 0; p < H; ++p)
        for (int q = 0; q < W; ++q) wrong += dst[n][k][p][q] != by_loop(n, k, p, q);
  printf("%d of %d outputs are wrong\n", wrong, N * K * H * W);
  return wrong != 0;
}
