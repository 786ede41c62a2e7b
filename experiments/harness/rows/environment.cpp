#include "experiments/harness/rows/environment.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "baselines/contender/cuda_device.hpp"
#include "baselines/contender/peak_memory.hpp"
#include "build_info.hpp"
#include "experiments/harness/process/threads.hpp"
#include "kernels/gpu/cuda/cuda_absent.hpp"
#include "primitives/op/kokkos_scope.hpp"
#include "primitives/planning/machine/machine.hpp"
#include "source_info.hpp"

extern char** environ;

namespace brickwork {
namespace {

using json = nlohmann::ordered_json;

std::string first_line(const char* path) {
  std::ifstream in(path);
  std::string line;
  return std::getline(in, line) ? line : "unknown";
}

json cpu_record() {
  const Machine& m = machine();
  return {{"name", m.cpu},
          {"id", m.cpu_id},
          {"usable_cores", m.usable_cores},
          {"hardware_threads", m.hardware_threads},
          {"quota_cpus", std::isfinite(m.cpu_quota) ? json(m.cpu_quota) : json(nullptr)},
          {"l1d_bytes", m.l1d_bytes},
          {"l2_bytes", m.l2_bytes},
          {"l3_bytes", m.l3_bytes},
          {"governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
          {"transparent_huge_pages", first_line("/sys/kernel/mm/transparent_hugepage/enabled")}};
}

json library_versions() {
  const auto or_absent = [](std::string_view version) { return version.empty() ? "absent" : std::string(version); };
  return {{"oneDNN", or_absent(build_info::onednn)},     {"LIBXSMM", or_absent(build_info::libxsmm)},
          {"OpenBLAS", or_absent(build_info::openblas)}, {"Highway", or_absent(build_info::highway)},
          {"Kokkos", or_absent(build_info::kokkos)},     {"Google Benchmark", or_absent(build_info::google_benchmark)},
          {"hwloc", or_absent(build_info::hwloc)}};
}

json gpu_record() {
  const cuda::DeviceInfo* const device = cuda::device();
  if (device == nullptr) return {{"absent", cuda_absent()}};
  return {{"name", device->name},
          {"isa", device->isa},
          {"driver_cuda", device->driver},
          {"runtime_cuda", device->runtime},
          {"multiprocessors", device->multiprocessors},
          {"clock_hz", device->clock_hz},
          {"memory_clock_hz", device->memory_clock_hz},
          {"memory_bytes", device->memory_bytes},
          {"l2_bytes", device->l2_bytes}};
}

// Variables that change how threads run, or what a library does.
json environment_variables() {
  json variables = json::object();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    for (const std::string_view prefix : {"OMP_", "GOMP_", "KMP_", "KOKKOS_", "OPENBLAS_", "LIBXSMM_", "ONEDNN_",
                                          "DNNL_", "CUDA_", "CUDNN_", "CUBLAS", "NVIDIA_TF32"}) {
      if (!text.starts_with(prefix)) continue;
      const auto equals = text.find('=');
      variables[std::string(text.substr(0, equals))] = std::string(text.substr(equals + 1));
    }
  }
  return variables;
}

json kokkos_configuration_lines() {
  std::istringstream text(kokkos_configuration());
  json lines = json::array();
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Several runtimes have several thread pools, which compete for the cores.
std::vector<std::string> loaded_openmp_runtimes() {
  std::ifstream maps("/proc/self/maps");
  return openmp_runtimes(maps);
}

json load_average() {
  double load[3];
  return getloadavg(load, 3) == 3 ? json(load) : json("unknown");
}

double now() { return omp_get_wtime(); }

}  // namespace

std::vector<std::string> openmp_runtimes(std::istream& maps) {
  std::set<std::string> paths;
  for (std::string line; std::getline(maps, line);) {
    const auto slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string path = line.substr(slash);
    const std::string file = path.substr(path.rfind('/') + 1);
    for (const auto* runtime : {"libgomp", "libiomp", "libomp"}) {
      if (file.starts_with(runtime)) paths.insert(path);
    }
  }
  return {paths.begin(), paths.end()};
}

std::vector<std::string> environment_warnings(const Options& options) {
  std::vector<std::string> warnings;
  if (!options.tuning_warning.empty()) warnings.push_back(options.tuning_warning);
  if (const auto runtimes = loaded_openmp_runtimes(); runtimes.size() > 1) {
    warnings.push_back(fmt::format("{} OpenMP runtimes share the cores and disturb each other: {}", runtimes.size(),
                                   fmt::join(runtimes, ", ")));
  }
  if (const auto warning = shared_cores_warning()) warnings.push_back(*warning);
  if (const auto warning = quota_warning(options.threads)) warnings.push_back(*warning);
  for (const char* variable :
       {"OPENBLAS_CORETYPE", "LIBXSMM_TARGET", "ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA", "NVIDIA_TF32_OVERRIDE"}) {
    const char* value = std::getenv(variable);
    // OpenBLAS treats an AVX-512 processor newer than itself as a Haswell; scripts/reproduce names its AVX-512 kernels.
    if (value != nullptr && std::string_view(value) != "SkylakeX") {
      warnings.push_back(
          fmt::format("{}={} is set: the library will not use its best kernels for this machine; unset "
                      "it for a fair comparison",
                      variable, value));
    }
  }
  return warnings;
}

void refuse_engine_variables() {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("BENCHMARK_")) continue;
    throw std::invalid_argument(
        fmt::format("{} is set, from which Google Benchmark would take how it measures: unset it and use the options "
                    "of --help",
                    text.substr(0, text.find('='))));
  }
}

std::string utc_timestamp() { return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::time(nullptr))); }

EnvironmentRecord::EnvironmentRecord(std::filesystem::path file, const Options& options,
                                     const std::vector<ContenderInfo>& contenders)
    : file_(std::move(file)), options_(options), record_(std::make_shared<json>()), start_(now()) {
  json& r = *record_;
  r["format"] =
      1;  // plots/data.py refuses another one: raise both when a reader of the old files would misread the new
  r["brickwork"] = build_info::version;
  r["date"] = utc_timestamp();
  r["command_line"] = options.command_line;
  r["threads"] = options.threads;
  r["cpu"] = cpu_record();
  r["cpu"]["cache_bytes"] = machine().cache_bytes(options.threads);
  r["memory_bytes"] = machine().memory_bytes;
  if (std::ranges::any_of(contenders, [](const auto& c) { return c.device == "cuda"; })) r["gpu"] = gpu_record();
  r["compiler"] = build_info::compiler;
  r["compiler_flags"] = build_info::compiler_flags;
  r["build_type"] = build_info::build_type;
  r["libraries"] = library_versions();
  for (const ContenderInfo& contender : contenders) {
    const Library& library = contender.library;
    if (!contender.ours && !library.version.empty()) r["libraries"][library.name] = library.version;
  }
  r["git"] = {{"commit", source_info::commit}, {"dirty", source_info::dirty}};  // at build time
  r["lines_of_primitives"] = source_info::lines_of_primitives;
  r["openmp_runtimes"] = loaded_openmp_runtimes();
  if (!options.tuning_text.empty()) r["simd_tuning"] = {{"value", options.tuning_text}, {"from", options.tuning_from}};
  r["warnings"] = environment_warnings(options);
  r["environment_variables"] = environment_variables();
  r["kokkos_configuration"] = kokkos_configuration_lines();
  r["load_average_start"] = load_average();
  write();
}

int EnvironmentRecord::around(const std::function<int()>& run) {
  int code = 1;
  try {
    code = run();
  } catch (...) {
    try {
      finish(code);
    } catch (const std::exception&) {  // a full disk makes this fail, too, and the first error is the one to report
    }
    throw;
  }
  finish(code);
  return code;
}

void EnvironmentRecord::finish(int exit_code) {
  json& r = *record_;
  r["openmp_runtimes"] = loaded_openmp_runtimes();  // a library may load its runtime late
  r["warnings"] = environment_warnings(options_);
  r["load_average_end"] = load_average();
  r["peak_memory_bytes"] = peak_of_process();
  r["duration_seconds"] = now() - start_;
  r["exit_code"] = exit_code;
  write();
}

// Writes a second file and renames it, so that neither a reader nor a full disk ever leaves half a record.
void EnvironmentRecord::write() const {
  auto unfinished = file_;
  unfinished += ".new";
  std::ofstream out(unfinished);
  out << record_->dump(2, ' ', false, json::error_handler_t::replace)
      << '\n';  // variables may hold other bytes than UTF-8
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(unfinished, file_, error);
  if (out && !error) return;
  std::filesystem::remove(unfinished, error);
  throw std::runtime_error(fmt::format("{} cannot be written", file_.string()));
}

}  // namespace brickwork
