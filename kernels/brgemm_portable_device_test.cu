// The portable brick as CUDA sees it: nvcc compiles it for the host and for the device, and where there is a GPU the
// device's copy runs. That keeps the brick from tying itself to the host.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "brgemm_portable.hpp"
#include "cuda_block.cuh"
#include "epilogue.hpp"
#include "testing/brgemm_check.hpp"

namespace brickwork {
namespace {

__global__ void brgemm_on_device(BrgemmShape shape, BrgemmCall call) {
  extern __shared__ float scratch[];
  brgemm_portable<float, float>(CudaBlock(), shape, call, scratch);
}

__global__ void epilogue_on_device(float* c, int m, int n, std::int64_t ldc, TileEpilogue epilogue) {
  apply_epilogue_portable(c, m, n, ldc, epilogue);
}

void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) { require(cudaMalloc(&data_, size * sizeof(T) + 1)); }
  DeviceArray(const T* host, std::size_t size) : DeviceArray(size) { from_host(host, size, 0); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  void from_host(const T* host, std::size_t size, std::size_t at) {
    require(cudaMemcpy(data_ + at, host, size * sizeof(T), cudaMemcpyHostToDevice));
  }
  void to_host(T* host) const { require(cudaMemcpy(host, data_, size_ * sizeof(T), cudaMemcpyDeviceToHost)); }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

class HostKernel final : public BrgemmKernel {
 public:
  using BrgemmKernel::BrgemmKernel;
  std::string_view isa() const override { return "nvcc, host"; }

 private:
  void run(const BrgemmCall& call) const override { brgemm_portable<float, float>(OneThread(), shape(), call); }
};

// Copies the operands to the device, the members one after the other, and names them there as the call named them here.
class DeviceKernel final : public BrgemmKernel {
 public:
  using BrgemmKernel::BrgemmKernel;
  std::string_view isa() const override { return "cuda"; }

 private:
  static std::int64_t extent(int rows, std::int64_t ld, int cols) { return rows == 0 ? 0 : (rows - 1) * ld + cols; }

  void run(const BrgemmCall& host) const override {
    const BrgemmShape& s = shape();
    const int rows = rows_of(host);
    const std::int64_t size = host.batch.size;
    const std::int64_t extent_a = s.a_transposed && rows != 0 ? extent(s.k, s.lda, rows) : extent(rows, s.lda, s.k);
    const std::int64_t extent_b = extent(s.k, s.ldb, s.n);
    DeviceArray<float> a(size * extent_a), b(size * extent_b);
    for (std::int64_t i = 0; i < size; ++i) {
      a.from_host(host.batch.a<float>(i), extent_a, i * extent_a);
      b.from_host(host.batch.b<float>(i), extent_b, i * extent_b);
    }
    const auto along = [&](std::uint64_t base, std::int64_t step) {
      std::vector<std::uint64_t> at;
      for (std::int64_t i = 0; i < size; ++i) at.push_back(base + i * step * sizeof(float));
      return DeviceArray<std::uint64_t>(at.data(), at.size());
    };
    const bool pointers = host.batch.kind == BatchKind::pointers;
    const auto base = [&](const DeviceArray<float>& x) {
      return pointers ? reinterpret_cast<std::uint64_t>(x.data()) : 0;
    };
    const DeviceArray<std::uint64_t> at_a = along(base(a), extent_a), at_b = along(base(b), extent_b);

    BrgemmCall call = host;
    switch (host.batch.kind) {
      case BatchKind::strides:
        call.batch = Batch::strided(a.data(), b.data(), size, extent_a * sizeof(float), extent_b * sizeof(float));
        break;
      case BatchKind::offsets:
        call.batch = Batch::at_offsets(a.data(), b.data(), size, at_a.data(), at_b.data());
        break;
      case BatchKind::pointers:
        call.batch = Batch::at_pointers(reinterpret_cast<const float* const*>(at_a.data()),
                                        reinterpret_cast<const float* const*>(at_b.data()), size);
        break;
    }
    const auto* host_residual = static_cast<const float*>(host.epilogue.residual);
    const auto* host_at = static_cast<const float*>(host.epilogue.at);
    const DeviceArray<float> c(static_cast<float*>(host.c), extent(rows, s.ldc, s.n)),
        bias(host.epilogue.bias, host.epilogue.bias ? s.n : 0),
        residual(host_residual, host_residual ? extent(rows, host.epilogue.ldr, s.n) : 0),
        where(host_at, host_at ? extent(rows, host.epilogue.ldat, s.n) : 0);
    call.c = c.data();
    if (host.epilogue.bias) call.epilogue.bias = bias.data();
    if (host_residual) call.epilogue.residual = residual.data();
    if (host_at) call.epilogue.at = where.data();

    brgemm_on_device<<<1, 64, portable_scratch(s) * sizeof(float)>>>(s, call);
    require(cudaGetLastError());
    c.to_host(static_cast<float*>(host.c));
  }
};

template <class Kernel>
void check_shapes() {
  for (BatchKind kind : {BatchKind::strides, BatchKind::offsets, BatchKind::pointers})
    for (int beta : {0, 1})
      for (int m : {1, 4, 7, 50})
        for (int n : {1, 8, 19, 70})  // 50 x 70 has more register tiles than the block has threads
          for (std::int64_t batch : {0, 1, 3})
            for (const LastStep& last : kLastSteps) {
              const bool epilogue = last.activation != Activation::none;
              const bool a_transposed = (m + n + batch) % 2 != 0;
              const BrgemmCase test{.shape = padded_shape(m, n, 21, 2, beta, kind, a_transposed),
                                    .batch = batch,
                                    .rows = epilogue ? m / 2 : -1,
                                    .bias = epilogue,
                                    .residual = epilogue,
                                    .last = last};
              ASSERT_EQ(check_brgemm(Kernel(test.shape), test), "") << to_string(test);
            }
}

class PortableOnDevice : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t status = cudaGetDeviceCount(&devices);
    if (status != cudaSuccess) GTEST_SKIP() << "no CUDA device: " << cudaGetErrorString(status);
    if (devices == 0) GTEST_SKIP() << "no CUDA device";
  }
};

TEST(PortableByNvcc, IsExactOnTheHost) { check_shapes<HostKernel>(); }

TEST_F(PortableOnDevice, IsExact) { check_shapes<DeviceKernel>(); }

TEST_F(PortableOnDevice, AppliesTheEpilogue) {
  const std::vector<float> c{-3, 1, 2, 9, 5, -6, 7, 9}, bias{1, -2, 3}, residual{1, 1, 1, 0, 0, 0};
  const DeviceArray<float> device_c(c.data(), c.size()), device_bias(bias.data(), bias.size()),
      device_residual(residual.data(), residual.size());
  epilogue_on_device<<<1, 1>>>(device_c.data(), 2, 3, 4,
                               {device_bias.data(), device_residual.data(), 3, Activation::relu});
  require(cudaGetLastError());
  std::vector<float> result(c.size());
  device_c.to_host(result.data());
  EXPECT_EQ(result, (std::vector<float>{0, 0, 6, 9, 6, 0, 10, 9}));
}

}  // namespace
}  // namespace brickwork
