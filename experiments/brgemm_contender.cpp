#include "brgemm_contender.hpp"

#include <algorithm>
#include <stdexcept>

#include "aligned_buffer.hpp"

namespace brickwork {
namespace {

class PreparedBrgemm : public Prepared {
 public:
  PreparedBrgemm(const BrgemmProblem& p, const BrgemmTensors& plain, BrgemmKernelPtr kernel)
      : plain_(plain),
        kernel_(std::move(kernel)),
        a_(static_cast<std::size_t>(p.batch * p.m * p.k)),
        b_(static_cast<std::size_t>(p.batch * p.k * p.n)),
        c_(static_cast<std::size_t>(p.m * p.n)),
        batch_(p.batch) {}

  void pack() override {
    std::copy_n(plain_.a, a_.size(), a_.data());
    std::copy_n(plain_.b, b_.size(), b_.data());
  }
  void run() override { (*kernel_)(a_.data(), b_.data(), c_.data(), batch_); }
  void unpack(float* dst_plain) override { std::ranges::copy(c_, dst_plain); }
  std::string isa() const override { return std::string(kernel_->isa()); }

 private:
  BrgemmTensors plain_;
  BrgemmKernelPtr kernel_;
  AlignedBuffer<float> a_, b_, c_;
  std::int64_t batch_;
};

class BrickContender : public BrgemmContender {
 public:
  BrickContender(Backend backend, Isa isa) : backend_(backend), isa_(isa) {}

  std::string name() const override { return backend(); }
  std::string backend() const override { return std::string(to_string(backend_)); }
  std::string version() const override {
    const auto all = brgemm_backends();
    const auto info = std::ranges::find(all, backend_, &BackendInfo::backend);
    return info == all.end() ? "" : info->version;
  }
  std::optional<std::string> unsupported(const BrgemmProblem& problem, const Resources& resources) const override {
    if (resources.threads != 1) return "the kernel runs on one thread";
    const auto kernel = make_brgemm(problem.shape(), backend_, isa());
    if (kernel) return std::nullopt;
    return kernel.reason();
  }
  std::unique_ptr<Prepared> prepare(const BrgemmProblem& problem, const BrgemmTensors& tensors,
                                    const Resources&) const override {
    const auto kernel = make_brgemm(problem.shape(), backend_, isa());
    if (!kernel) throw std::runtime_error(kernel.reason());
    return std::make_unique<PreparedBrgemm>(problem, tensors, *kernel);
  }

 private:
  Isa isa() const { return backend_ == Backend::simd ? isa_ : Isa::best; }  // the others choose for themselves

  Backend backend_;
  Isa isa_;
};

}  // namespace

std::unique_ptr<BrgemmContender> make_brgemm_contender(Backend backend, Isa isa) {
  return std::make_unique<BrickContender>(backend, isa);
}

}  // namespace brickwork
