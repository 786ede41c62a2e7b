#include "graph_builder.hpp"

namespace brickwork {

int GraphBuilder::conv(std::string name, int src, std::int64_t K, std::int64_t kernel, std::int64_t stride, bool bias) {
  const ImageSizes s = dst_of(src);
  ConvProblem p{.name = std::move(name), .N = s.N, .C = s.C, .K = K, .H = s.H, .W = s.W, .epilogue = {.bias = bias}};
  p.R = p.S = kernel;
  p.stride_h = p.stride_w = stride;
  p.pad_h = p.pad_w = kernel / 2;
  return add({p, src});
}

int GraphBuilder::norm(std::string name, int src, NormEpilogue epilogue, int residual) {
  const ImageSizes s = dst_of(src);
  return add({BatchNormProblem{.name = std::move(name), .N = s.N, .C = s.C, .H = s.H, .W = s.W, .epilogue = epilogue},
              src, residual});
}

int GraphBuilder::pool(std::string name, int src, PoolKind kind, std::int64_t window, std::int64_t stride,
                       std::int64_t pad) {
  const ImageSizes s = dst_of(src);
  PoolProblem p{.name = std::move(name), .N = s.N, .C = s.C, .H = s.H, .W = s.W, .kind = kind};
  p.R = p.S = window;
  p.stride_h = p.stride_w = stride;
  p.pad_h = p.pad_w = pad;
  return add({p, src});
}

int GraphBuilder::fc(std::string name, int src, std::int64_t K, Activation activation) {
  const ImageSizes s = dst_of(src);
  const Epilogue epilogue{.bias = true, .activation = activation};
  return add({FcProblem{.name = std::move(name), .N = s.N, .C = s.C * s.H * s.W, .K = K, .epilogue = epilogue}, src});
}

int GraphBuilder::add(NetworkLayer layer) {
  graph_.layers.push_back(std::move(layer));
  return static_cast<int>(graph_.layers.size()) - 1;
}

}  // namespace brickwork
