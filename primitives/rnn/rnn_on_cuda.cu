#include "bricks_on_cuda.cuh"
#include "cuda_memory.hpp"
#include "rnn/rnn_on_cuda.hpp"
#include "rnn/rnn_passes.hpp"

namespace brickwork {
namespace {

// run(space, brick, threads)
template <class Run>
void with_team_brick(const CudaSetting& setting, const Run& run) {
  const TeamBrick<float> brick{{}, setting.brick == CudaBrick::staged};
  on_space(setting, [&](const auto& space) { run(space, brick, setting.threads); });
}

struct ForwardPass final : RnnForwardPass {
  RnnForwardGeometry g;
  CudaSetting setting;
  std::string of_device = cuda_isa();

  ForwardPass(const RnnForwardGeometry& geometry, const CudaSetting& with) : g(geometry), setting(with) {}

  void run(const RnnForwardData& data) const override {
    with_team_brick(setting, [&](const auto& space, const auto& brick, int threads) {
      run_rnn_forward(space, brick, threads, g, data);
    });
  }
  std::string_view isa() const override { return of_device; }
};

struct BackwardPass final : RnnBackwardPass {
  RnnBackwardGeometry g;
  CudaSetting setting;

  BackwardPass(const RnnBackwardGeometry& geometry, const CudaSetting& with) : g(geometry), setting(with) {}

  void run_data(const RnnBackwardData& data) const override {
    with_team_brick(setting, [&](const auto& space, const auto& brick, int threads) {
      run_rnn_backward(space, brick, threads, g, data);
    });
  }
  void run_x(const RnnBackwardData& data, float* dx, bool accumulate) const override {
    with_team_brick(setting, [&](const auto& space, const auto& brick, int threads) {
      run_rnn_gradient_of_x(space, brick, threads, g, data, dx, accumulate);
    });
  }
  void run_update(const RnnBackwardData& data, const float* states_before) const override {
    with_team_brick(setting, [&](const auto& space, const auto& brick, int threads) {
      run_rnn_update(space, brick, threads, g, data, states_before);
    });
  }
};

class BytesOnCuda final : public MemoryElsewhere {
 public:
  explicit BytesOnCuda(std::size_t size) : bytes_(size) { bytes_.fill_with_zeros(); }
  void* data() override { return bytes_.data(); }
  void copy_from(const void* host) override { bytes_.copy_from(static_cast<const unsigned char*>(host)); }
  void copy_to(void* host) const override { bytes_.copy_to(static_cast<unsigned char*>(host)); }

 private:
  CudaMemory<unsigned char> bytes_;
};

template <class Pass, class Made, class Geometry>
Result<std::shared_ptr<const Pass>> made(const Geometry& g, const CudaSetting& setting) {
  if (setting.brick != CudaBrick::portable && setting.brick != CudaBrick::staged) {
    return {Status::unsupported, "recurrent layers are f32, which tensor cores do not multiply strictly"};
  }
  return std::shared_ptr<const Pass>(std::make_shared<const Made>(g, setting));
}

}  // namespace

Result<std::shared_ptr<const RnnForwardPass>> RnnOnCuda::forward(const RnnForwardGeometry& g) const {
  return made<RnnForwardPass, ForwardPass>(g, setting_);
}

Result<std::shared_ptr<const RnnBackwardPass>> RnnOnCuda::backward(const RnnBackwardGeometry& g) const {
  return made<RnnBackwardPass, BackwardPass>(g, setting_);
}

std::unique_ptr<MemoryElsewhere> RnnOnCuda::memory(std::size_t bytes) const {
  return std::make_unique<BytesOnCuda>(bytes);
}

}  // namespace brickwork
