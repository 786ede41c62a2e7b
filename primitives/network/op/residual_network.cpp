#include "primitives/network/op/residual_network.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <stdexcept>

namespace brickwork {
namespace {

using Blocks = std::array<int, 4>;  // bottlenecks of each stage

const std::map<std::int64_t, Blocks>& blocks_by_layers() {
  static const std::map<std::int64_t, Blocks> table{
      {14, {1, 1, 1, 1}}, {26, {2, 2, 2, 2}}, {50, {3, 4, 6, 3}}, {101, {3, 4, 23, 3}}, {152, {3, 8, 36, 3}}};
  return table;
}

// Convolutions 1x1, 3x3 and 1x1, and a shortcut, which is a convolution if sizes change.
int bottleneck(NetworkGraph& b, const std::string& name, int src, std::int64_t width, std::int64_t stride,
               ResidualStride where) {
  const std::int64_t outputs = 4 * width;
  const bool in_3x3 = where == ResidualStride::in_3x3;
  int x = b.add_conv(name + ".conv1", src, width, 1, in_3x3 ? 1 : stride);
  x = b.add_norm(name + ".norm1", x, NormEpilogue::relu);
  x = b.add_conv(name + ".conv2", x, width, 3, in_3x3 ? stride : 1);
  x = b.add_norm(name + ".norm2", x, NormEpilogue::relu);
  x = b.add_conv(name + ".conv3", x, outputs, 1);
  int shortcut = src;
  if (stride != 1 || b.dst_of(src).C != outputs) {
    shortcut = b.add_conv(name + ".shortcut", src, outputs, 1, stride);
    shortcut = b.add_norm(name + ".shortcut_norm", shortcut, NormEpilogue::none);
  }
  return b.add_norm(name + ".norm3", x, NormEpilogue::residual_relu, shortcut);
}

}  // namespace

const SizeTable<ResidualNetwork>& ResidualNetwork::table() {
  using P = ResidualNetwork;
  static const SizeTable<ResidualNetwork> table{
      .kind = "resnet",
      .sizes = {{.key = "N", .column = "N", .member = &P::N, .setting = true},
                {.key = "L", .column = "layers", .member = &P::L},
                {.key = "H", .column = "H", .member = &P::H},
                {.key = "K", .column = "classes", .member = &P::K}},
      .words = {part_word<P>(), choice("a version: v1.5 or v1", {"v1.5", "v1"}, &P::stride, "variant")}};
  return table;
}

void ResidualNetwork::validate() const {
  check_sizes(*this, std::int64_t{1} << 20, "2^20");
  if (!blocks_by_layers().contains(L)) {
    throw std::invalid_argument(fmt::format("L is {}: a network of bottlenecks has 14, 26, 50, 101 or 152 layers", L));
  }
  network_graph(*this).validate();
}

NetworkGraph network_graph(const ResidualNetwork& p) {
  NetworkGraph b{.images = {p.N, 3, p.H, p.H}};
  int x = b.add_conv("conv1", kImages, 64, 7, 2);
  x = b.add_norm("norm1", x, NormEpilogue::relu);
  x = b.add_pool("pool1", x, PoolKind::max, 3, 2, 1);
  std::int64_t width = 64;
  for (std::size_t stage = 0; stage < 4; ++stage, width *= 2) {
    for (int block = 0; block < blocks_by_layers().at(p.L)[stage]; ++block) {
      const std::int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      x = bottleneck(b, fmt::format("stage{}.{}", stage + 1, block + 1), x, width, stride, p.stride);
    }
  }
  x = b.add_pool("pool5", x, PoolKind::average, b.dst_of(x).H, 1);
  b.add_fc("fc", x, p.K);
  return b;
}

}  // namespace brickwork
