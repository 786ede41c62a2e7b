#include "kernels/brgemm/brgemm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "kernels/brgemm/brgemm_backends.hpp"

namespace brickwork {
namespace {

struct BackendEntry {
  Backend value;
  std::string_view name;
  Result<BrgemmKernelPtr> (*make)(const BrgemmShape&, const BrgemmHints&, Isa);
  BackendInfo (*info)();
};

// To add a backend: one file, one line in brgemm_backends.hpp, one line here.
constexpr std::array kBackends{
    BackendEntry{Backend::libxsmm, "libxsmm", make_libxsmm_brgemm, libxsmm_info},
    BackendEntry{Backend::simd, "simd", make_simd_brgemm, simd_info},
    BackendEntry{Backend::portable, "portable", make_portable_brgemm, portable_info},
};

template <class E>
struct Name {
  E value;
  std::string_view name;
};

constexpr std::array kIsas{
    Name<Isa>{Isa::best, "best"},
    Name<Isa>{Isa::avx2, "avx2"},
    Name<Isa>{Isa::avx512, "avx512"},
    Name<Isa>{Isa::neon, "neon"},
};

constexpr std::array kBatchKinds{
    Name<BatchKind>{BatchKind::strides, "strides"},
    Name<BatchKind>{BatchKind::offsets, "offsets"},
};

template <class Table>
auto find(const Table& table, decltype(table[0].value) value) {
  return std::ranges::find(table, value, [](const auto& entry) { return entry.value; });
}

template <class Table>
std::string_view name_of(const Table& table, decltype(table[0].value) value) {
  const auto entry = find(table, value);
  return entry == table.end() ? "unknown" : entry->name;
}

template <class Table>
auto parse(const Table& table, std::string_view what, std::string_view text) {
  const auto entry = std::ranges::find(table, text, [](const auto& e) { return e.name; });
  if (entry != table.end()) return entry->value;
  std::array<std::string_view, std::tuple_size_v<Table>> names;
  std::ranges::transform(table, names.begin(), [](const auto& e) { return e.name; });
  throw std::invalid_argument(fmt::format("unknown {} '{}': choose one of {}", what, text, fmt::join(names, ", ")));
}

// The fault of the shape or the hints; empty if there is none.
std::string invalid_reason(const BrgemmShape& s, const BrgemmHints& hints) {
  if (s.m < 1 || s.n < 1 || s.k < 1)
    return fmt::format("m, n and k must be at least 1, but are {}, {} and {}", s.m, s.n, s.k);
  if (s.lda < 1) return fmt::format("lda must be at least 1, but is {}", s.lda);
  if (s.ldb < s.n) return fmt::format("ldb must be at least n = {}, but is {}", s.n, s.ldb);
  if (s.ldc < s.n) return fmt::format("ldc must be at least n = {}, but is {}", s.n, s.ldc);
  if (s.beta != 0 && s.beta != 1) return fmt::format("beta must be 0 or 1, but is {}", s.beta);
  if (find(kBatchKinds, s.batch_kind) == kBatchKinds.end()) return "batch_kind is neither strides nor offsets";
  if (s.batch_kind != BatchKind::strides && (s.stride_a != 0 || s.stride_b != 0))
    return fmt::format("stride_a and stride_b belong to a batch of strides and must be 0 for a batch of {}",
                       to_string(s.batch_kind));
  if (hints.zero_rows.period < 0)
    return fmt::format("the period of zero rows must be at least 0, but is {}", hints.zero_rows.period);
  const SimdTuning& t = hints.tuning;
  for (const std::int64_t ahead : {t.ahead, t.few}) {
    if (ahead < 0 || ahead > kMostInTuning)
      return fmt::format("a tuning may prefetch from 0 to {} rows of B ahead, but asks for {}", kMostInTuning, ahead);
  }
  return {};
}

}  // namespace

std::string_view to_string(Backend backend) { return name_of(kBackends, backend); }
std::string_view to_string(Isa isa) { return name_of(kIsas, isa); }
std::string_view to_string(BatchKind kind) { return name_of(kBatchKinds, kind); }
Backend parse_backend(std::string_view text) { return parse(kBackends, "backend", text); }
Isa parse_isa(std::string_view text) { return parse(kIsas, "ISA", text); }

std::string to_string(const BrgemmShape& s) {
  std::string text = fmt::format("m{}_n{}_k{}_lda{}_ldb{}_ldc{}_beta{}_{}", s.m, s.n, s.k, s.lda, s.ldb, s.ldc, s.beta,
                                 to_string(s.batch_kind));
  if (s.batch_kind == BatchKind::strides) text += fmt::format("_sa{}_sb{}", s.stride_a, s.stride_b);
  if (s.a_transposed) text += "_atransposed";
  for (const auto& [name, p] : {std::pair("a", s.pixels_of_a), std::pair("c", s.pixels_of_c)})
    if (p.cols != 0) text += fmt::format("_{}rows{}x{}by{}by{}", name, p.rows, p.cols, p.row, p.image);
  if (s.ab != DType::f32 || s.c != DType::f32) text += fmt::format("_ab{}_c{}", to_string(s.ab), to_string(s.c));
  return text;
}

std::string to_string(const BrgemmHints& hints) {
  std::string text = hints.c == CAccess::stream ? "streamc" : hints.c == CAccess::prefetch ? "prefetchc" : "";
  if (const ZeroRows& z = hints.zero_rows; z.period != 0)
    text += fmt::format("{}zerorows{}_step{}_live{}to{}", text.empty() ? "" : "_", z.period, z.step, z.begin, z.end);
  if (hints.reads_next) text += text.empty() ? "readsnext" : "_readsnext";
  return text;
}

Batch strided_batch(const BrgemmShape& s, const void* a, const void* b, std::int64_t size) {
  const auto element = static_cast<std::int64_t>(size_of(s.ab));
  return Batch::strided(a, b, size, s.stride_a * element, s.stride_b * element);
}

void BrgemmKernel::refuse(const BrgemmCall& call) const {
  if (call.batch.kind != shape_.batch_kind)
    throw std::logic_error(fmt::format("brgemm {}: the kernel was not made for a batch of {}", to_string(shape_),
                                       to_string(call.batch.kind)));
  throw std::logic_error(
      fmt::format("brgemm {}: the kernel has {} rows, but was called with {}", to_string(shape_), shape_.m, call.rows));
}

Result<BrgemmKernelPtr> make_brgemm(const BrgemmShape& shape, const BrgemmHints& hints, Backend backend, Isa isa) {
  const auto unsupported = [&](const std::string& reason) {
    return Result<BrgemmKernelPtr>::unsupported(fmt::format("brgemm {}: {}", to_string(shape), reason));
  };
  if (const std::string reason = invalid_reason(shape, hints); !reason.empty()) return unsupported(reason);
  const auto entry = find(kBackends, backend);
  if (entry == kBackends.end()) return unsupported("there is no such backend");
  if (shape.ab != DType::f32 || shape.c != DType::f32)
    return unsupported(fmt::format("the {} backend computes in f32 only, but A and B are {} and C is {}", entry->name,
                                   to_string(shape.ab), to_string(shape.c)));
  if (shape.has_pixels() && backend != Backend::portable)
    return unsupported(fmt::format("the {} backend takes no image pixels as rows of A or C", entry->name));
  return entry->make(shape, hints, isa);
}

BackendInfo brgemm_backend(Backend backend) {
  const auto entry = find(kBackends, backend);
  if (entry == kBackends.end()) throw std::invalid_argument("there is no such brgemm backend");
  return entry->info();
}

std::vector<BackendInfo> brgemm_backends() {
  std::vector<BackendInfo> infos;
  for (const BackendEntry& entry : kBackends) infos.push_back(entry.info());
  return infos;
}

}  // namespace brickwork
