/* Multiplies with the brick: C = relu(sum of A_i * B_i + bias) over a batch of 8 pairs. */
#include <brickwork/brickwork.h>
#include <stdio.h>

enum { M = 6, N = 16, K = 4, BATCH = 8 };

int main(void) {
  static float a[BATCH][M][K], b[BATCH][K][N], bias[N], c[M][N];
  for (int i = 0; i < BATCH; ++i)
    for (int k = 0; k < K; ++k) {
      for (int m = 0; m < M; ++m) a[i][m][k] = 1;
      for (int n = 0; n < N; ++n) b[i][k][n] = (float)n;
    }
  for (int n = 0; n < N; ++n) bias[n] = -40;

  const brickwork_brgemm_shape shape = {.m = M, .n = N, .k = K, .lda = K, .ldb = N, .ldc = N, .stride_a = M * K,
                                        .stride_b = K * N, .bias = 1, .activation = BRICKWORK_RELU};
  brickwork_brgemm brgemm;
  if (brickwork_brgemm_create(&shape, &brgemm) != BRICKWORK_OK ||
      brickwork_brgemm_run(brgemm, &a[0][0][0], &b[0][0][0], BATCH, bias, &c[0][0]) != BRICKWORK_OK) {
    fprintf(stderr, "%s\n", brickwork_last_error());
    return 1;
  }
  brickwork_brgemm_destroy(brgemm);

  for (int n = 0; n < N; ++n) {
    const float right = BATCH * K * n > 40 ? (float)(BATCH * K * n - 40) : 0;
    if (c[M - 1][n] != right) {
      fprintf(stderr, "c[%d][%d] is %g, and should be %g\n", M - 1, n, c[M - 1][n], right);
      return 1;
    }
  }
  puts("the brick is right");
  return 0;
}
