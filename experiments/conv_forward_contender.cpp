#include "conv_forward_contender.hpp"

#include <algorithm>
#include <stdexcept>

#include "aligned_buffer.hpp"
#include "conv/conv_forward.hpp"
#include "conv/conv_pack.hpp"

namespace brickwork {
namespace {

class PreparedConvForward final : public Prepared {
 public:
  PreparedConvForward(const ConvProblem& problem, const ConvTensors& plain, ConvForward conv)
      : epilogue_(problem.epilogue),
        plain_(plain),
        conv_(std::move(conv)),
        src_(conv_.src_layout().size()),
        weights_(conv_.weights_layout().size()),
        dst_(conv_.dst_layout().size()),
        bias_(epilogue_.bias ? conv_.dst_layout().Cb() * conv_.dst_layout().bc : 0),
        residual_(epilogue_.residual ? conv_.dst_layout().size() : 0) {}

  void pack() override {
    pack_nchw(conv_.src_layout(), plain_.src, src_.data());
    pack_kcrs(conv_.weights_layout(), plain_.weights, weights_.data());
    if (epilogue_.bias) std::copy_n(plain_.bias, conv_.dst_layout().C, bias_.data());
    if (epilogue_.residual) pack_nchw(conv_.dst_layout(), plain_.residual, residual_.data());
  }
  void run() override { conv_.run(src_.data(), weights_.data(), bias_.data(), residual_.data(), dst_.data()); }
  void unpack(float* dst_plain) override { unpack_nchw(conv_.dst_layout(), dst_.data(), dst_plain); }

  std::string implementation() const override { return "brgemm loops"; }
  std::string plan() const override { return to_string(conv_.plan()); }
  std::string isa() const override { return std::string(conv_.isa()); }

 private:
  ConvEpilogue epilogue_;
  ConvTensors plain_;
  ConvForward conv_;
  AlignedBuffer<float> src_, weights_, dst_, bias_, residual_;
};

class ConvForwardContender final : public ConvContender {
 public:
  ConvForwardContender(Backend backend, Isa isa, const std::string& plan_override) : backend_(backend), isa_(isa) {
    if (!plan_override.empty()) plan_ = parse_conv_plan(plan_override);
    for (const BackendInfo& info : brgemm_backends()) {
      if (info.backend == backend) info_ = info;
    }
  }

  std::string name() const override { return std::string(to_string(backend_)); }
  std::string backend() const override { return std::string(to_string(backend_)); }
  std::string version() const override { return info_.version; }

  std::optional<std::string> unsupported(const ConvProblem& problem, const Resources& resources) const override {
    if (!info_.unavailable_reason.empty()) return info_.unavailable_reason;
    try {
      const auto conv = make(problem, resources);
      if (!conv) return conv.reason();
    } catch (const std::invalid_argument& refused) {  // --plan holds for every problem of a run and may not fit each
      return refused.what();
    }
    return std::nullopt;
  }

  std::unique_ptr<Prepared> prepare(const ConvProblem& problem, const ConvTensors& plain,
                                    const Resources& resources) const override {
    auto conv = make(problem, resources);
    if (!conv) throw std::runtime_error(conv.reason());
    return std::make_unique<PreparedConvForward>(problem, plain, *std::move(conv));
  }

 private:
  Result<ConvForward> make(const ConvProblem& problem, const Resources& resources) const {
    const ConvPlan plan = plan_ ? *plan_ : plan_conv_forward(problem, this_machine(resources.threads), backend_);
    return ConvForward::make(problem, plan, backend_, isa_);
  }

  Backend backend_;
  Isa isa_;
  std::optional<ConvPlan> plan_;
  BackendInfo info_;
};

}  // namespace

std::unique_ptr<ConvContender> make_conv_forward(Backend backend, Isa isa, std::string plan_override) {
  return std::make_unique<ConvForwardContender>(backend, isa, plan_override);
}

}  // namespace brickwork
