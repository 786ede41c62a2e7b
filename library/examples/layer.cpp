// A fully connected layer in C++: one forward pass, its gradient, and an error that is caught.
#include <brickwork/brickwork.hpp>
#include <cstdio>
#include <vector>

int main() {
  constexpr int N = 4, C = 32, K = 16;
  const brickwork_linear_sizes sizes{.N = N,
                                     .C = C,
                                     .K = K,
                                     .bias = 1,
                                     .training = 1,
                                     .activation = BRICKWORK_NO_ACTIVATION,
                                     .layout = BRICKWORK_NHWC};
  try {
    brickwork::api::Layer layer(sizes);
    const std::vector<float> weights(K * C, 0.5f), bias(K, 1), src(N * C, 2), ddst(N * K, 1);
    std::vector<float> dst(N * K), dsrc(N * C);
    layer.set_weights(weights.data(), bias.data());
    layer.forward(src.data(), dst.data());
    layer.backward_data(ddst.data(), dsrc.data());
    std::printf("outputs are %g, their gradients by the inputs %g\n", dst[0], dsrc[0]);
    if (dst[0] != 2 * 0.5f * C + 1 || dsrc[0] != 0.5f * K) return 1;
    layer.forward(nullptr, dst.data());
  } catch (const brickwork::api::Error& error) {
    std::printf("refused, as it should be: %s\n", error.what());
    return error.status() != BRICKWORK_BAD_ARGUMENT;
  }
  return 1;
}
