#include "baselines/contender/cuda_device.hpp"

#include "kernels/gpu/cuda/cuda_absent.hpp"

#ifdef BRICKWORK_HAS_CUDA_RUNTIME
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <map>
#include <utility>

#include "kernels/gpu/cuda/require_cuda.hpp"

namespace brickwork::cuda {
namespace {

int attribute(cudaDeviceAttr which) {
  int value = 0;
  require_cuda(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
  return value;
}

DeviceInfo find_device() {
  DeviceInfo info;
  cudaDeviceProp properties{};
  require_cuda(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  int driver = 0;
  require_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
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
  Event() { require_cuda(cudaEventCreate(&event_), "cudaEventCreate"); }
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
    require_cuda(cudaGraphLaunch(graph->second.get(), stream_), "cudaGraphLaunch");
    require_cuda(cudaStreamSynchronize(stream_), "a replay of the run failed");
    float milliseconds = 0;
    require_cuda(cudaEventElapsedTime(&milliseconds, start_.get(), stop_.get()), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  GraphExec recorded(std::int64_t runs) {
    // Relaxed mode, as a library may still load a module.
    require_cuda(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    cudaGraph_t captured = nullptr;
    try {
      require_cuda(cudaEventRecordWithFlags(start_.get(), stream_, cudaEventRecordExternal),
                   "cudaEventRecordWithFlags");
      for (std::int64_t i = 0; i < runs; ++i) run_();
      require_cuda(cudaEventRecordWithFlags(stop_.get(), stream_, cudaEventRecordExternal), "cudaEventRecordWithFlags");
    } catch (...) {  // all contenders share the stream
      cudaStreamEndCapture(stream_, &captured);
      const Graph unfinished(captured);
      throw;
    }
    require_cuda(cudaStreamEndCapture(stream_, &captured), "the run cannot be recorded");
    const Graph graph(captured);
    cudaGraphExec_t executable = nullptr;
    require_cuda(cudaGraphInstantiate(&executable, graph.get(), 0), "cudaGraphInstantiate");
    return GraphExec(executable);
  }

  cudaStream_t stream_;
  std::function<void()> run_;
  Event start_, stop_;
  std::map<std::int64_t, GraphExec> graphs_;  // by number of runs
};

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  require_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  return stream;
}

}  // namespace

const DeviceInfo* device() {
  static const std::optional<DeviceInfo> info = cuda_absent().empty() ? std::optional(find_device()) : std::nullopt;
  return info ? &*info : nullptr;
}

void Queue::wait() { require_cuda(cudaStreamSynchronize(stream_), "a kernel failed"); }

std::unique_ptr<Replay> Queue::record(std::function<void()> run) {
  return std::make_unique<GraphReplay>(stream_, std::move(run));
}

void Queue::displace_cache() {
  if (!displacing_) displacing_.emplace(4 * static_cast<std::size_t>(device()->l2_bytes));
  require_cuda(cudaMemsetAsync(displacing_->data(), 0, displacing_->size(), stream_), "cudaMemsetAsync");
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
  } catch (const OutOfCudaMemory& e) {
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
