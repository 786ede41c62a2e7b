#include "cuda_device.hpp"

#include "cuda_absent.hpp"

#ifdef BRICKWORK_HAS_CUDA_RUNTIME
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

namespace brickwork::cuda {
namespace {

void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // what can be forgotten is, and no later call is blamed for it
  throw std::runtime_error(fmt::format("{}: {}", what, cudaGetErrorString(status)));
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  require(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
  return value;
}

DeviceInfo find_device() {
  DeviceInfo info;
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  int driver = 0;
  require(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  info.name = properties.name;
  info.isa = fmt::format("sm_{}{}", properties.major, properties.minor);
  info.driver = cuda_version_text(driver);
  info.runtime = cuda_version_text(CUDART_VERSION);
  info.multiprocessors = properties.multiProcessorCount;
  info.clock_hz = 1e3 * attribute(cudaDevAttrClockRate);
  info.memory_clock_hz = 1e3 * attribute(cudaDevAttrMemoryClockRate);
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  info.l2_bytes = properties.l2CacheSize;
  return info;
}

class Event {
 public:
  Event() { require(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
  void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
};
using Graph = std::unique_ptr<CUgraph_st, DestroyGraph>;
using GraphExec = std::unique_ptr<CUgraphExec_st, DestroyGraph>;

class GraphReplay final : public Replay {
 public:
  GraphReplay(cudaStream_t stream, std::function<void()> run) : stream_(stream), run_(std::move(run)) {
    graphs_.emplace(1, recorded(1));
  }

  double seconds(std::int64_t runs) override {
    auto graph = graphs_.find(runs);
    if (graph == graphs_.end()) graph = graphs_.emplace(runs, recorded(runs)).first;
    require(cudaGraphLaunch(graph->second.get(), stream_), "cudaGraphLaunch");
    require(cudaStreamSynchronize(stream_), "a replay of the run failed");
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  GraphExec recorded(std::int64_t runs) {
    // Relaxed, as a library may still load a module.
    require(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    cudaGraph_t captured = nullptr;
    try {
      require(cudaEventRecordWithFlags(start_.get(), stream_, cudaEventRecordExternal), "cudaEventRecordWithFlags");
      for (std::int64_t i = 0; i < runs; ++i) run_();
      require(cudaEventRecordWithFlags(stop_.get(), stream_, cudaEventRecordExternal), "cudaEventRecordWithFlags");
    } catch (...) {  // the stream is everyone's
      cudaStreamEndCapture(stream_, &captured);
      const Graph unfinished(captured);
      throw;
    }
    require(cudaStreamEndCapture(stream_, &captured), "the run cannot be recorded");
    const Graph graph(captured);
    cudaGraphExec_t executable = nullptr;
    require(cudaGraphInstantiate(&executable, graph.get(), 0), "cudaGraphInstantiate");
    return GraphExec(executable);
  }

  cudaStream_t stream_;
  std::function<void()> run_;
  Event start_, stop_;
  std::map<std::int64_t, GraphExec> graphs_;  // by their runs
};

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

}  // namespace

const DeviceInfo* device() {
  static const std::optional<DeviceInfo> info = cuda_absent().empty() ? std::optional(find_device()) : std::nullopt;
  return info ? &*info : nullptr;
}

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  const cudaError_t status = cudaMalloc(&data_, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    std::size_t left = 0, all = 0;
    require(cudaMemGetInfo(&left, &all), "cudaMemGetInfo");
    throw Refused(fmt::format(
        "a tensor of {:.3f} GB does not fit into the {:.3f} GB that are left of the {:.3f} GB of "
        "the device",
        1e-9 * static_cast<double>(bytes), 1e-9 * static_cast<double>(left), 1e-9 * static_cast<double>(all)));
  }
  require(status, "cudaMalloc");
}

Buffer::~Buffer() { cudaFree(data_); }

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

void Buffer::read_from(const void* host) {
  if (bytes_ == 0) return;
  require(cudaMemcpy(data_, host, bytes_, cudaMemcpyHostToDevice), "a copy to the device failed");
  require(cudaDeviceSynchronize(),
          "a copy to the device failed");  // of pageable memory the last part may be on its way
}

void Buffer::write_to(void* host) const {
  if (bytes_ == 0) return;
  require(cudaMemcpy(host, data_, bytes_, cudaMemcpyDeviceToHost), "a copy from the device failed");
}

void Buffer::fill_with_nan() {
  if (bytes_ == 0) return;
  require(cudaMemset(data_, 0xff, bytes_), "cudaMemset");
  require(cudaDeviceSynchronize(), "cudaMemset");
}

void Queue::wait() { require(cudaStreamSynchronize(stream_), "a kernel failed"); }

std::unique_ptr<Replay> Queue::record(std::function<void()> run) {
  return std::make_unique<GraphReplay>(stream_, std::move(run));
}

void Queue::displace_cache() {
  if (!displacing_) displacing_ = std::make_unique<Buffer>(4 * static_cast<std::size_t>(device()->l2_bytes));
  require(cudaMemsetAsync(displacing_->data(), 0, displacing_->size(), stream_), "cudaMemsetAsync");
}

Queue& queue() {
  static Queue queue(new_stream());
  return queue;
}

Result<PreparedPtr> prepared(const std::function<PreparedPtr()>& prepare) {
  if (const std::string why = cuda_absent(); !why.empty()) return Result<PreparedPtr>::absent(why);
  try {
    return prepare();
  } catch (const Refused& e) {
    return Result<PreparedPtr>::unsupported(e.what());
  }
}

}  // namespace brickwork::cuda

#else

namespace brickwork::cuda {
const DeviceInfo* device() { return nullptr; }
Result<PreparedPtr> prepared(const std::function<PreparedPtr()>&) { return Result<PreparedPtr>::absent(cuda_absent()); }
}  // namespace brickwork::cuda

#endif
