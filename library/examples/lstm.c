/* One step of an LSTM with weights of 0: then every gate is that of its bias, which a line of C computes, too. */
#include <brickwork/brickwork.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 3, C = 5, K = 7 };

static float sigmoid(float x) { return 1 / (1 + expf(-x)); }

int main(void) {
  static float input[C][4][K], state[K][4][K], bias[4][K], x[N][C], h0[N][K], c0[N][K], y[N][K], h[N][K], c[N][K];
  for (int k = 0; k < K; ++k) { /* i f g o */
    bias[0][k] = 0.5f;
    bias[1][k] = -1;
    bias[2][k] = 0.25f * (float)k;
    bias[3][k] = 2;
  }
  for (int n = 0; n < N; ++n)
    for (int k = 0; k < K; ++k) c0[n][k] = (float)n;

  const brickwork_lstm_sizes sizes = {.T = 1, .N = N, .C = C, .K = K, .L = 1};
  brickwork_lstm lstm;
  if (brickwork_lstm_create(&sizes, &lstm) != BRICKWORK_OK ||
      brickwork_lstm_set_weights(lstm, 0, &input[0][0][0], &state[0][0][0], &bias[0][0]) != BRICKWORK_OK ||
      brickwork_lstm_forward(lstm, &x[0][0], &h0[0][0], &c0[0][0], &y[0][0], &h[0][0], &c[0][0]) != BRICKWORK_OK) {
    fprintf(stderr, "%s\n", brickwork_last_error());
    return 1;
  }
  brickwork_lstm_destroy(lstm);

  for (int n = 0; n < N; ++n)
    for (int k = 0; k < K; ++k) {
      const float cell = sigmoid(bias[1][k]) * c0[n][k] + sigmoid(bias[0][k]) * tanhf(bias[2][k]);
      if (fabsf(c[n][k] - cell) > 1e-6f || fabsf(h[n][k] - sigmoid(bias[3][k]) * tanhf(cell)) > 1e-6f) {
        fprintf(stderr, "the state [%d][%d] is wrong\n", n, k);
        return 1;
      }
    }
  puts(memcmp(y, h, sizeof y) == 0 ? "the step is right" : "y is not the state");
  return memcmp(y, h, sizeof y) != 0;
}
