// A network's graph, layer by layer, each on the sizes of what it reads.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "network_graph.hpp"

namespace brickwork {

// Each function appends a layer and gives its place. `src` and `residual` are places, or kImages.
class GraphBuilder {
 public:
  explicit GraphBuilder(const ImageSizes& images) : graph_{.images = images, .layers = {}} {}

  // As many rows and columns of zeros around the image as keep its size where the stride is 1.
  int conv(std::string name, int src, std::int64_t K, std::int64_t kernel, std::int64_t stride = 1, bool bias = false);
  int norm(std::string name, int src, NormEpilogue, int residual = kImages);
  int pool(std::string name, int src, PoolKind, std::int64_t window, std::int64_t stride, std::int64_t pad = 0);
  int fc(std::string name, int src, std::int64_t K, Activation = Activation::none);  // with a bias

  ImageSizes dst_of(int layer) const { return graph_.dst_of(layer); }
  NetworkGraph take() { return std::move(graph_); }

 private:
  int add(NetworkLayer);

  NetworkGraph graph_;
};

}  // namespace brickwork
