// The passes of convolution on a GPU as contenders: each of our bricks with each way to launch it, for every operation
// of layers.hpp.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "experiments/operations/gpu/gpu_contender.hpp"
#include "primitives/conv/conv_pack.hpp"
#ifdef BRICKWORK_HAS_CUDA
#include "primitives/conv/gpu/conv_drivers_on_cuda.hpp"
#include "primitives/conv/gpu/conv_gpu_plan.hpp"
#endif

namespace brickwork {

#ifdef BRICKWORK_HAS_CUDA

template <class Layers, class T>
struct GpuForward : Layers {
  using Op = typename Layers::Forward;
  using Blocking = ConvForwardBlocking;
  static auto plan(const ConvProblem& p, const GpuModel& gpu) { return plan_conv_forward_on_gpu(p, gpu); }

  class Prepared final : public PreparedOnGpu {
   public:
    Prepared(const PlainTensors& plain, const CudaSetting& setting, const Blocking& blocking, Precision)
        : PreparedOnGpu(plain, setting, to_string(blocking.plan())),
          driver_(blocking),
          src_(blocking.src_layout().size()),
          weights_(blocking.weights_layout().size()),
          dst_(blocking.dst_layout().size()),
          residual_(plain.at<float>("residual") ? blocking.dst_layout().size() : 0),
          bias_(plain.at<float>("bias") ? blocking.dst_layout().Cb() * blocking.dst_layout().bc : 0) {}

    void pack() override {
      const Blocking& b = driver_.blocking();
      src_.pack([&](float* to) { Layers::pack(b.src_layout(), plain_.at<float>("src"), to); });
      weights_.pack([&](float* to) { pack_kcrs(b.weights_layout(), plain_.at<float>("weights"), to); });
      residual_.pack([&](float* to) { Layers::pack(b.dst_layout(), plain_.at<float>("residual"), to); });
      bias_.pack([&](float* to) { std::copy_n(plain_.at<float>("bias"), b.dst_layout().C, to); });
      dst_.forget();
    }
    void run() override {
      driver_.run(src_.data(), weights_.data(), bias_.data(), residual_.data(), dst_.data(), setting_);
    }
    void unpack(PlainTensors& out) override {
      dst_.unpack(
          [&](const float* from) { Layers::unpack(driver_.blocking().dst_layout(), from, out.at<float>("dst")); });
    }

   private:
    ConvForwardOnCuda<T> driver_;
    GpuTensor<T> src_, weights_, dst_, residual_;
    GpuTensor<float> bias_;
  };
};

template <class Layers, class T>
struct GpuBackwardData : Layers {
  using Op = typename Layers::BackwardData;
  using Blocking = ConvBackwardBlocking;
  static auto plan(const ConvProblem& p, const GpuModel& gpu) { return plan_conv_backward_on_gpu(p, gpu); }

  class Prepared final : public PreparedOnGpu {
   public:
    Prepared(const PlainTensors& plain, const CudaSetting& setting, const Blocking& blocking, Precision)
        : PreparedOnGpu(plain, setting, to_string(blocking.phases().front().conv.plan())),
          driver_(blocking),
          ddst_(blocking.ddst_layout().size()),
          weights_(blocking.weights_size()),
          dsrc_(blocking.dsrc_layout().size()),
          residual_(plain.at<float>("residual") ? blocking.dsrc_layout().size() : 0),
          at_(plain.at<float>("at") ? blocking.dsrc_layout().size() : 0) {}

    void pack() override {
      const Blocking& b = driver_.blocking();
      ddst_.pack([&](float* to) { Layers::pack(b.ddst_layout(), plain_.at<float>("ddst"), to); });
      weights_.pack([&](float* to) { b.pack_weights(plain_.at<float>("weights"), to); });
      residual_.pack([&](float* to) { Layers::pack(b.dsrc_layout(), plain_.at<float>("residual"), to); });
      at_.pack([&](float* to) { Layers::pack(b.dsrc_layout(), plain_.at<float>("at"), to); });
      dsrc_.forget();
    }
    void run() override {
      driver_.run(ddst_.data(), weights_.data(), residual_.data(), at_.data(), dsrc_.data(), setting_);
    }
    void unpack(PlainTensors& out) override {
      dsrc_.unpack(
          [&](const float* from) { Layers::unpack(driver_.blocking().dsrc_layout(), from, out.at<float>("dsrc")); });
    }

   private:
    ConvBackwardOnCuda<T> driver_;
    GpuTensor<T> ddst_, weights_, dsrc_, residual_, at_;
  };
};

// Gradients are f32 on the device and are rounded to the precision when they are unpacked.
template <class Layers, class T>
struct GpuWeightUpdate : Layers {
  using Op = typename Layers::WeightUpdate;
  using Blocking = ConvUpdateBlocking;
  static auto plan(const ConvProblem& p, const GpuModel& gpu) { return plan_conv_update_on_gpu(p, gpu); }

  class Prepared final : public PreparedOnGpu {
   public:
    Prepared(const PlainTensors& plain, const CudaSetting& setting, const Blocking& blocking, Precision precision)
        : PreparedOnGpu(plain, setting, to_string(blocking.plan())),
          precision_(precision),
          driver_(blocking),
          src_(blocking.src_layout().size()),
          ddst_(blocking.ddst_layout().size()),
          dweights_(blocking.dweights_layout().size()),
          dbias_(blocking.dbias_size()) {}

    void pack() override {
      const Blocking& b = driver_.blocking();
      src_.pack([&](float* to) { Layers::pack(b.src_layout(), plain_.at<float>("src"), to); });
      ddst_.pack([&](float* to) { Layers::pack(b.ddst_layout(), plain_.at<float>("ddst"), to); });
      dweights_.forget();
      dbias_.forget();
    }
    void run() override {
      driver_.run(src_.data(), ddst_.data(), dweights_.data(), dbias_.data(), Gradients::overwrite, setting_);
    }
    void unpack(PlainTensors& out) override {
      const Blocking& b = driver_.blocking();
      dweights_.unpack([&](const float* from) { unpack_kcrs(b.dweights_layout(), from, out.at<float>("dweights")); });
      if (b.with_bias()) {
        dbias_.unpack([&](const float* from) { std::copy_n(from, b.ddst_layout().C, out.at<float>("dbias")); });
      }
      if (precision_ != Precision::bf16) return;
      for (std::size_t i = 0; i < out.infos().size(); ++i) {
        for (float& value : out.values<float>(i)) value = static_cast<float>(rounded(value, precision_));
      }
    }

   private:
    Precision precision_;
    ConvUpdateOnCuda<T> driver_;
    GpuTensor<T> src_, ddst_;
    GpuTensor<float> dweights_, dbias_;
  };
};

template <class Pass>
Contender<typename Pass::Op> gpu_loops(const GpuBrick& brick, Precision precision) {
  auto contender = gpu_contender<typename Pass::Op>(brick);
  contender.prepare = [setting = brick.setting, precision](const typename Pass::Op::Problem& p, const PlainTensors& in,
                                                           const Resources&) -> Result<PreparedPtr> {
    const ConvProblem& conv = Pass::problem(p);
    const GpuModel gpu = {cuda::device()->multiprocessors, setting.brick};
    const auto blocking = Pass::Blocking::make(conv, Pass::plan(conv, gpu), dtype_of(precision));
    if (!blocking) return {blocking.status(), blocking.reason()};
    return cuda::prepared([&] { return std::make_unique<typename Pass::Prepared>(in, setting, *blocking, precision); });
  };
  return contender;
}

#else

template <class Layers, class>
struct GpuForward {
  using Op = typename Layers::Forward;
};
template <class Layers, class>
struct GpuBackwardData {
  using Op = typename Layers::BackwardData;
};
template <class Layers, class>
struct GpuWeightUpdate {
  using Op = typename Layers::WeightUpdate;
};

template <class Pass>
Contender<typename Pass::Op> gpu_loops(const GpuBrick& brick, Precision) {
  return gpu_contender<typename Pass::Op>(brick);
}

#endif

// Our loops around every brick that has the precision, then the libraries.
template <template <class, class> class Pass, class Layers, Operation Op>
std::vector<Contender<Op>> gpu_loops_and(std::vector<Contender<Op>> libraries, Precision precision) {
  std::vector<Contender<Op>> contenders;
  for (const GpuBrick& brick : gpu_bricks(precision)) {
    contenders.push_back(precision == Precision::bf16 ? gpu_loops<Pass<Layers, bf16>>(brick, precision)
                                                      : gpu_loops<Pass<Layers, float>>(brick, precision));
  }
  contenders.insert(contenders.end(), libraries.begin(), libraries.end());
  return contenders;
}

}  // namespace brickwork
