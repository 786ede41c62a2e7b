#include "brgemm_portable.hpp"

#include <fmt/format.h>

#include "brgemm_backends.hpp"

namespace brickwork {
namespace {

class PortableKernel final : public BrgemmKernel {
 public:
  explicit PortableKernel(const BrgemmShape& shape) : shape_(shape) {}

  void operator()(const float* a, const float* b, float* c, std::int64_t batch) const override {
    if (shape_.batch_kind != BatchKind::strides) BrgemmKernel::operator()(a, b, c, batch);
    brgemm_portable(shape_, StrideBatch<float, float>{a, b, shape_.stride_a, shape_.stride_b}, batch, c);
  }

  void operator()(const float* a, const float* b, float* c, std::int64_t batch, const std::uint64_t* offsets_a,
                  const std::uint64_t* offsets_b) const override {
    if (shape_.batch_kind != BatchKind::offsets) BrgemmKernel::operator()(a, b, c, batch, offsets_a, offsets_b);
    brgemm_portable(shape_, OffsetBatch<float, float>{a, b, offsets_a, offsets_b}, batch, c);
  }

  void operator()(const float* const* a, const float* const* b, float* c, std::int64_t batch) const override {
    if (shape_.batch_kind != BatchKind::pointers) BrgemmKernel::operator()(a, b, c, batch);
    brgemm_portable(shape_, PointerBatch<float, float>{a, b}, batch, c);
  }

  std::string_view isa() const override { return "portable"; }

 private:
  BrgemmShape shape_;
};

}  // namespace

Result<BrgemmKernelPtr> make_portable_brgemm(const BrgemmShape& shape, Isa isa) {
  if (isa == Isa::best) return BrgemmKernelPtr(std::make_shared<PortableKernel>(shape));
  return Result<BrgemmKernelPtr>::unsupported(
      fmt::format("portable {}: it is compiled for the build's baseline, so ask for best instead of {}",
                  to_string(shape), to_string(isa)));
}

BackendInfo portable_info() {
  return {.backend = Backend::portable, .version = {}, .isas = {}, .unavailable_reason = {}};
}

}  // namespace brickwork
