// brickwork_brgemm_*: the brick itself.
#include "kernels/brgemm/brgemm.hpp"

#include <brickwork/brickwork.h>

#include <array>

#include "library/activation.hpp"
#include "library/handles.hpp"
#include "library/runtime.hpp"
#include "library/status.hpp"

namespace brickwork::library {
namespace {

struct Brgemm {
  BrgemmKernelPtr by_strides, by_offsets;
  bool bias;
  Activation activation;

  void run(const BrgemmKernelPtr& kernel, const Batch& batch, const float* bias_values, float* c) const {
    require(c, "c");
    if (bias) require(bias_values, "bias");
    (*kernel)({.batch = batch, .c = c, .epilogue = {.bias = bias ? bias_values : nullptr, .activation = activation}});
  }
};

Handles<Brgemm, brickwork_brgemm>& brgemms() {
  static auto& all = *new Handles<Brgemm, brickwork_brgemm>("brgemm");
  return all;
}

BrgemmShape shape_of(const brickwork_brgemm_shape& s) {
  return {.m = s.m,
          .n = s.n,
          .k = s.k,
          .lda = s.lda,
          .ldb = s.ldb,
          .ldc = s.ldc,
          .beta = flag(s.beta, "beta"),
          .stride_a = s.stride_a,
          .stride_b = s.stride_b};
}

void require_batch(std::int64_t batch) {
  if (batch < 0) throw std::invalid_argument(fmt::format("the batch is {}: expected 0 or more", batch));
}

}  // namespace
}  // namespace brickwork::library

using namespace brickwork;
using namespace brickwork::library;

brickwork_status brickwork_brgemm_create(const brickwork_brgemm_shape* shape, brickwork_brgemm* brgemm) {
  return answer([&] {
    require({{shape, "shape"}, {brgemm, "brgemm"}});
    *brgemm = nullptr;
    BrgemmShape s = shape_of(*shape);
    const BrgemmHints hints{.tuning = tuning()};
    auto made = std::make_shared<Brgemm>();
    made->bias = flag(shape->bias, "bias");
    made->activation = activation_of(shape->activation);
    const auto kernel = [&] {
      auto result = make_brgemm(s, hints, Backend::simd);
      if (result.status() == Status::unsupported) throw std::invalid_argument(result.reason());
      return take(std::move(result));
    };
    made->by_strides = kernel();
    s.batch_kind = BatchKind::offsets;
    s.stride_a = s.stride_b = 0;
    made->by_offsets = kernel();
    *brgemm = brgemms().add(std::move(made));
  });
}

brickwork_status brickwork_brgemm_run(brickwork_brgemm brgemm, const float* a, const float* b, int64_t batch,
                                      const float* bias, float* c) {
  return answer([&] {
    const auto object = brgemms().at(brgemm);
    require({{a, "a"}, {b, "b"}});
    require_batch(batch);
    object->run(object->by_strides, strided_batch(object->by_strides->shape(), a, b, batch), bias, c);
  });
}

brickwork_status brickwork_brgemm_run_pointers(brickwork_brgemm brgemm, const float* const* a, const float* const* b,
                                               int64_t batch, const float* bias, float* c) {
  return answer([&] {
    const auto object = brgemms().at(brgemm);
    require_batch(batch);
    if (batch > 0) {
      require({{a, "a"}, {b, "b"}});
    }
    for (std::int64_t i = 0; i < batch; ++i) {
      require(a[i], "a[i]");
      require(b[i], "b[i]");
    }
    // An address is its offset from 0.
    static_assert(sizeof(std::uint64_t) == sizeof(const float*));
    object->run(object->by_offsets,
                Batch::at_offsets(nullptr, nullptr, batch, reinterpret_cast<const std::uint64_t*>(a),
                                  reinterpret_cast<const std::uint64_t*>(b)),
                bias, c);
  });
}

brickwork_status brickwork_brgemm_destroy(brickwork_brgemm brgemm) {
  return answer([&] { brgemms().remove(brgemm); });
}
