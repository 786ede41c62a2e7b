// The portable brick as CUDA sees it: nvcc compiles it for the host and for the device, and where there is a GPU the
// device's copy runs. That keeps the brick from tying itself to the host.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "brgemm_check.hpp"
#include "brgemm_portable.hpp"
#include "epilogue.hpp"

namespace brickwork {
namespace {

template <class Batch>
__global__ void brgemm_on_device(BrgemmShape shape, Batch batch, std::int64_t batch_size, float* c) {
  brgemm_portable(shape, batch, batch_size, c);
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
  explicit HostKernel(const BrgemmShape& shape) : shape_(shape) {}
  void operator()(const float* a, const float* b, float* c, std::int64_t batch) const override {
    brgemm_portable(shape_, StrideBatch<float, float>{a, b, shape_.stride_a, shape_.stride_b}, batch, c);
  }
  void operator()(const float* a, const float* b, float* c, std::int64_t batch, const std::uint64_t* offsets_a,
                  const std::uint64_t* offsets_b) const override {
    brgemm_portable(shape_, OffsetBatch<float, float>{a, b, offsets_a, offsets_b}, batch, c);
  }
  void operator()(const float* const* a, const float* const* b, float* c, std::int64_t batch) const override {
    brgemm_portable(shape_, PointerBatch<float, float>{a, b}, batch, c);
  }
  std::string_view isa() const override { return "nvcc, host"; }

 private:
  BrgemmShape shape_;
};

// Copies the members to the device one after the other and names them there as the call named them here.
class DeviceKernel final : public BrgemmKernel {
 public:
  explicit DeviceKernel(const BrgemmShape& shape)
      : shape_(shape),
        extent_a_((shape.m - 1) * shape.lda + shape.k),
        extent_b_((shape.k - 1) * shape.ldb + shape.n),
        extent_c_((shape.m - 1) * shape.ldc + shape.n) {}

  void operator()(const float* a, const float* b, float* c, std::int64_t batch) const override {
    Members members(*this, batch);
    for (std::int64_t i = 0; i < batch; ++i) members.set(i, a + i * shape_.stride_a, b + i * shape_.stride_b);
    launch(StrideBatch<float, float>{members.a.data(), members.b.data(), extent_a_, extent_b_}, batch, c);
  }

  void operator()(const float* a, const float* b, float* c, std::int64_t batch, const std::uint64_t* offsets_a,
                  const std::uint64_t* offsets_b) const override {
    Members members(*this, batch);
    const OffsetBatch<float, float> host{a, b, offsets_a, offsets_b};
    std::vector<std::uint64_t> there_a, there_b;
    for (std::int64_t i = 0; i < batch; ++i) {
      members.set(i, host.a(i), host.b(i));
      there_a.push_back(i * extent_a_ * sizeof(float));
      there_b.push_back(i * extent_b_ * sizeof(float));
    }
    const DeviceArray<std::uint64_t> device_a(there_a.data(), batch), device_b(there_b.data(), batch);
    launch(OffsetBatch<float, float>{members.a.data(), members.b.data(), device_a.data(), device_b.data()}, batch, c);
  }

  void operator()(const float* const* a, const float* const* b, float* c, std::int64_t batch) const override {
    Members members(*this, batch);
    std::vector<const float*> there_a, there_b;
    for (std::int64_t i = 0; i < batch; ++i) {
      members.set(i, a[i], b[i]);
      there_a.push_back(members.a.data() + i * extent_a_);
      there_b.push_back(members.b.data() + i * extent_b_);
    }
    const DeviceArray<const float*> device_a(there_a.data(), batch), device_b(there_b.data(), batch);
    launch(PointerBatch<float, float>{device_a.data(), device_b.data()}, batch, c);
  }

  std::string_view isa() const override { return "cuda"; }

 private:
  struct Members {
    Members(const DeviceKernel& k, std::int64_t batch) : kernel(k), a(batch * k.extent_a_), b(batch * k.extent_b_) {}
    void set(std::int64_t i, const float* host_a, const float* host_b) {
      a.from_host(host_a, kernel.extent_a_, i * kernel.extent_a_);
      b.from_host(host_b, kernel.extent_b_, i * kernel.extent_b_);
    }
    const DeviceKernel& kernel;
    DeviceArray<float> a, b;
  };

  template <class Batch>
  void launch(const Batch& batch, std::int64_t batch_size, float* c) const {
    const DeviceArray<float> device_c(c, extent_c_);
    brgemm_on_device<<<1, 1>>>(shape_, batch, batch_size, device_c.data());
    require(cudaGetLastError());
    device_c.to_host(c);
  }

  BrgemmShape shape_;
  std::int64_t extent_a_, extent_b_, extent_c_;
};

template <class Kernel>
void check_shapes() {
  for (BatchKind kind : {BatchKind::strides, BatchKind::offsets, BatchKind::pointers})
    for (int beta : {0, 1})
      for (int m : {1, 4, 7})
        for (int n : {1, 8, 19})
          for (std::int64_t batch : {0, 1, 3}) {
            const BrgemmShape shape = padded_shape(m, n, 5, 2, beta, kind);
            const BrgemmCase test{shape, batch};
            ASSERT_EQ(check_brgemm(Kernel(shape), test), "") << to_string(test);
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
  epilogue_on_device<<<1, 1>>>(device_c.data(), 2, 3, 4, {device_bias.data(), device_residual.data(), 3, true});
  require(cudaGetLastError());
  std::vector<float> result(c.size());
  device_c.to_host(result.data());
  EXPECT_EQ(result, (std::vector<float>{0, 0, 6, 9, 6, 0, 10, 9}));
}

}  // namespace
}  // namespace brickwork
