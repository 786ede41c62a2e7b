#include "kernels/portable/brgemm_portable.hpp"

#include <fmt/format.h>

#include "kernels/brgemm/brgemm_backends.hpp"

namespace brickwork {
namespace {

class PortableKernel final : public BrgemmKernel {
 public:
  using BrgemmKernel::BrgemmKernel;
  std::string_view isa() const override { return "portable"; }

 private:
  void run(const BrgemmCall& call) const override { brgemm_portable<float, float>(OneThread(), shape(), call); }
};

}  // namespace

Result<BrgemmKernelPtr> make_portable_brgemm(const BrgemmShape& shape, const BrgemmHints&, Isa isa) {
  if (isa == Isa::best) return BrgemmKernelPtr(std::make_shared<PortableKernel>(shape));
  return Result<BrgemmKernelPtr>::unsupported(
      fmt::format("portable {}: the backend is compiled for the build's baseline ISA: ask for best instead of {}",
                  to_string(shape), to_string(isa)));
}

BackendInfo portable_info() { return {.backend = Backend::portable, .version = {}, .isas = {}, .absent_reason = {}}; }

}  // namespace brickwork
