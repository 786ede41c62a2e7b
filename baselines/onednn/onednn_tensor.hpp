// Version, context and tensors of oneDNN, for its baselines.
#pragma once
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>

#include "kernels/base/aligned_buffer.hpp"

namespace brickwork::onednn {

std::string version();  // "3.2.0", "3.13.2 (SYCL)": names a runtime other than OpenMP, as it costs time per call
std::string isa();      // the ISA of the library's generated code: "avx512_core_bf16"

// One engine and one stream. Primitives run on the threads of the library's runtime.
struct Context {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};

using Arguments = std::unordered_map<int, dnnl::memory>;

// Memory in one of the library's layouts, allocated by us, as for every other contender.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const Context&, const dnnl::memory::desc&);

  const dnnl::memory& memory() const { return memory_; }
  float* data() { return buffer_.data(); }
  const float* data() const { return buffer_.data(); }
  std::size_t size() const { return buffer_.size(); }  // in elements, including padding

 private:
  AlignedBuffer<float> buffer_;
  dnnl::memory memory_;
};

// A user's tensor in a plain layout, and the memory that the primitive reads: a reordered copy, or the user's own
// memory if the library wants the plain layout.
class Source {
 public:
  Source() = default;
  Source(const Context&, const float* plain, const dnnl::memory::desc& plain_desc, const dnnl::memory::desc& wanted);

  void pack(const Context&);
  const dnnl::memory& memory() const { return reorder_ ? packed_.memory() : plain_; }

 private:
  dnnl::memory plain_;
  Tensor packed_;
  dnnl::reorder reorder_;  // empty if no copy is needed
};

}  // namespace brickwork::onednn
