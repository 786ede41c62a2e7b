// A brick that a GPU runs, for the host's checks: operands go there as T, and C comes back.
#pragma once
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "brgemm.hpp"
#include "cuda_absent.hpp"
#include "testing/member_copies.hpp"

namespace brickwork {

inline void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) { require(cudaMalloc(&data_, size * sizeof(T) + 1)); }
  DeviceArray(const T* host, std::size_t size) : DeviceArray(size) {
    require(cudaMemcpy(data_, host, size * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  void to_host(T* host) const { require(cudaMemcpy(host, data_, size_ * sizeof(T), cudaMemcpyDeviceToHost)); }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

// launch(shape, call), of operands on the device.
template <class T, class Launch>
class DeviceKernel final : public BrgemmKernel {
 public:
  DeviceKernel(const BrgemmShape& shape, Launch launch) : BrgemmKernel(shape), launch_(launch) {}
  std::string_view isa() const override { return "cuda"; }

 private:
  void run(const BrgemmCall& host) const override {
    const BrgemmShape& s = shape();
    const int rows = rows_of(host);
    const MemberCopies<T> members(s, rows, host.batch);
    const DeviceArray<T> a(members.a.data(), members.a.size()), b(members.b.data(), members.b.size());
    const auto of_a = members.list_a(a.data()), of_b = members.list_b(b.data());
    const DeviceArray<std::uint64_t> at_a(of_a.data(), of_a.size()), at_b(of_b.data(), of_b.size());

    BrgemmCall call = host;
    call.batch = members.batch(a.data(), b.data(), at_a.data(), at_b.data());
    const auto* host_residual = static_cast<const float*>(host.epilogue.residual);
    const auto* host_at = static_cast<const float*>(host.epilogue.at);
    const auto of_row = [&](std::int64_t ld) { return static_cast<std::size_t>(extent_of(rows, ld, s.n)); };
    const DeviceArray<float> c(static_cast<float*>(host.c), of_row(s.ldc)),
        bias(host.epilogue.bias, host.epilogue.bias ? s.n : 0),
        residual(host_residual, host_residual ? of_row(host.epilogue.ldr) : 0),
        where(host_at, host_at ? of_row(host.epilogue.ldat) : 0);
    call.c = c.data();
    if (host.epilogue.bias) call.epilogue.bias = bias.data();
    if (host_residual) call.epilogue.residual = residual.data();
    if (host_at) call.epilogue.at = where.data();

    launch_(s, call);
    require(cudaGetLastError());
    c.to_host(static_cast<float*>(host.c));
  }

  Launch launch_;
};

template <class T, class Launch>
DeviceKernel<T, Launch> device_kernel(const BrgemmShape& shape, Launch launch) {
  return {shape, launch};
}

// Skips with the reason where there is no GPU.
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = cuda_absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

}  // namespace brickwork
