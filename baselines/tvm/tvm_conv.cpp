#include "baselines/tvm/tvm_conv.hpp"

#include <fmt/format.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/module.h>

#include <cstdlib>
#include <optional>

#include "baselines/tensors/blocked_conv_tensors.hpp"

namespace brickwork::metaschedule {
namespace {

namespace ffi = tvm::ffi;

const ConvProblem& as_conv(const ConvProblem& p) { return p; }
ConvProblem as_conv(const FcProblem& p) {
  return {.N = p.N, .C = p.C, .K = p.K, .H = 1, .W = 1, .epilogue = p.epilogue};
}

// The threads may use all CPUs of the process, as the system likes; TVM would take the first ones of the machine.
void use_threads(int threads) {
  setenv("TVM_NUM_THREADS", std::to_string(threads).c_str(), 1);
  setenv("TVM_BIND_THREADS", "0", 1);
}

// A tensor as TVM sees it.
class View {
 public:
  View(const float* data, std::vector<std::int64_t> dims) : dims_(std::move(dims)) {
    tensor_ = {.data = const_cast<float*>(data),
               .device = {kDLCPU, 0},
               .ndim = static_cast<int>(dims_.size()),
               .dtype = {kDLFloat, 32, 1},
               .shape = dims_.data(),
               .strides = nullptr,
               .byte_offset = 0};
  }
  View(View&&) = default;  // keeps the address of the dims
  DLTensor* get() { return &tensor_; }

 private:
  std::vector<std::int64_t> dims_;
  DLTensor tensor_;
};

View view(const libxsmm::BlockedImages& images) {
  return {images.data.data(), {images.N, images.blocks, images.stored_h(), images.stored_w(), images.block}};
}

class PreparedTuned final : public Prepared {
 public:
  PreparedTuned(const ConvProblem& p, const PlainTensors& in, int threads, TunedCode code)
      : in_(in),
        blocks_(p),
        tensors_(p, blocks_.c, blocks_.k, threads),
        code_(std::move(code)),
        function_(ffi::Module::LoadFromFile(code_.library.string())->GetFunction("main").value()) {
    const auto& w = tensors_.weights;
    views_.push_back(view(tensors_.src));
    views_.emplace_back(w.data.data(), std::vector{w.Kb, w.Cb, w.R, w.S, w.bc, w.bk});
    if (p.epilogue.bias) views_.emplace_back(in.at<float>("bias"), std::vector{p.K / blocks_.k, blocks_.k});
    if (p.epilogue.residual) {
      residual_.emplace(p.N, p.K, p.P(), p.Q(), libxsmm::BlockedImages::Rim{}, blocks_.k, threads);
      views_.push_back(view(*residual_));
    }
    views_.push_back(view(tensors_.dst));
    for (View& each : views_) arguments_.push_back(ffi::AnyView(each.get()));
  }

  void pack() override {
    tensors_.src.pack(in_.at<float>("src"));
    tensors_.weights.pack(in_.at<float>("weights"));
    if (residual_) residual_->pack(in_.at<float>("residual"));
  }

  void run() override {
    ffi::Any nothing;
    function_.CallPacked(arguments_.data(), static_cast<std::int32_t>(arguments_.size()), &nothing);
  }

  void unpack(PlainTensors& out) override { tensors_.dst.unpack(out.at<float>("dst")); }

  std::string implementation() const override { return fmt::format("NCHW{0}c, OIHW{0}i{1}o", blocks_.c, blocks_.k); }
  std::string plan() const override { return code_.plan; }
  std::optional<double> plan_seconds() const override { return code_.seconds; }

 private:
  const PlainTensors& in_;
  Blocks blocks_;
  libxsmm::BlockedConvTensors tensors_;
  std::optional<libxsmm::BlockedImages> residual_;
  TunedCode code_;
  ffi::Function function_;
  std::vector<View> views_;
  std::vector<ffi::AnyView> arguments_;
};

}  // namespace

template <Operation Op>
Contender<Op> forward(Tuning tuning) {
  return {
      .name = "tvm-metaschedule",
      .library = {"TVM", version()},
      .prepare = [tuning = std::move(tuning)](const typename Op::Problem& problem, const PlainTensors& in,
                                              const Resources& resources) -> Result<PreparedPtr> {
        const ConvProblem& p = as_conv(problem);
        if (is_curve(p.epilogue.activation)) {
          return Result<PreparedPtr>::unsupported(
              "a curve is not tuned: the epilogue must be none, or some of bias, residual, relu");
        }
        use_threads(resources.threads);
        return {std::make_unique<PreparedTuned>(p, in, resources.threads, tuned_code(p, resources.threads, tuning))};
      }};
}

template Contender<ConvForwardOp> forward(Tuning);
template Contender<FcForwardOp> forward(Tuning);

}  // namespace brickwork::metaschedule
