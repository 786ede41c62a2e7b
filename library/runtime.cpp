#include "library/runtime.hpp"

#include <brickwork/brickwork.h>
#include <fmt/format.h>
#include <omp.h>

#include <Kokkos_Core.hpp>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "library/status.hpp"
#include "primitives/op/kokkos_scope.hpp"
#include "primitives/planning/tuning/tuning_cache.hpp"

namespace brickwork::library {
namespace {

struct Runtime {
  std::mutex mutex;
  std::optional<int> asked_threads;
  std::optional<SimdTuning> tuning;
  std::optional<KokkosScope> kokkos;
};

Runtime& runtime() {
  static Runtime& shared = *new Runtime;  // never ended, as layers may live to the process's end
  return shared;
}

constexpr const char* kVersion = BRICKWORK_VERSION;  // of CMake's project

int threads_of_kokkos() { return Kokkos::DefaultHostExecutionSpace().concurrency(); }

void start(Runtime& r) {
  if (Kokkos::is_initialized()) return;
  if (const std::string why = kokkos_absent(); !why.empty()) throw Unsupported(why);
  if (Kokkos::is_finalized()) throw Unsupported("Kokkos was ended in this process, and cannot start twice");
  r.kokkos.emplace(r.asked_threads.value_or(omp_get_max_threads()));
}

}  // namespace

int threads() {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  return Kokkos::is_initialized() ? threads_of_kokkos() : r.asked_threads.value_or(omp_get_max_threads());
}

void set_threads(int threads) {
  if (threads < 1) throw std::invalid_argument(fmt::format("{} threads: expected 1 or more", threads));
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  if (Kokkos::is_initialized() && threads_of_kokkos() != threads) {
    throw std::invalid_argument(
        fmt::format("{} threads: layers of this process already use {}; set the number before the first one is made",
                    threads, threads_of_kokkos()));
  }
  r.asked_threads = threads;
}

void start_kokkos() {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  start(r);
}

SimdTuning tuning() {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  if (!r.tuning) r.tuning = find_tuning("default", Isa::best, kVersion).tuning;
  return *r.tuning;
}

void tune(const std::string& text) {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  start(r);
  r.tuning = find_tuning(text, Isa::best, kVersion).tuning;
}

MachineModel machine_model() { return this_machine(threads(), tuning()); }

}  // namespace brickwork::library

using namespace brickwork::library;

const char* brickwork_version(void) { return kVersion; }
int brickwork_threads(void) { return threads(); }

brickwork_status brickwork_set_threads(int threads) {
  return answer([&] { set_threads(threads); });
}

brickwork_status brickwork_tune(const char* text) {
  return answer([&] {
    require(text, "text");
    tune(text);
  });
}
