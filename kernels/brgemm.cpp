#include "brgemm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "brgemm_backends.hpp"

namespace brickwork {
namespace {

struct BackendEntry {
  Backend value;
  std::string_view name;
  Result<BrgemmKernelPtr> (*make)(const BrgemmShape&, Isa);
  BackendInfo (*info)();
};

// Every backend there is. A new one is its file, a line in brgemm_backends.hpp and a line here.
constexpr std::array backends{
    BackendEntry{Backend::libxsmm, "libxsmm", make_libxsmm_brgemm, libxsmm_info},
    BackendEntry{Backend::simd, "simd", make_simd_brgemm, simd_info},
    BackendEntry{Backend::portable, "portable", make_portable_brgemm, portable_info},
};

template <class E>
struct Name {
  E value;
  std::string_view name;
};

constexpr std::array isas{
    Name<Isa>{Isa::best, "best"},
    Name<Isa>{Isa::avx2, "avx2"},
    Name<Isa>{Isa::avx512, "avx512"},
    Name<Isa>{Isa::neon, "neon"},
};

constexpr std::array batch_kinds{
    Name<BatchKind>{BatchKind::strides, "strides"},
    Name<BatchKind>{BatchKind::offsets, "offsets"},
    Name<BatchKind>{BatchKind::pointers, "pointers"},
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

// What is wrong with the shape, or nothing.
std::string invalid_reason(const BrgemmShape& s) {
  if (s.m < 1 || s.n < 1 || s.k < 1)
    return fmt::format("m, n and k must be at least 1, but are {}, {} and {}", s.m, s.n, s.k);
  if (s.lda < 1) return fmt::format("lda must be at least 1, but is {}", s.lda);
  if (s.ldb < s.n) return fmt::format("ldb must be at least n = {}, but is {}", s.n, s.ldb);
  if (s.ldc < s.n) return fmt::format("ldc must be at least n = {}, but is {}", s.n, s.ldc);
  if (s.beta != 0 && s.beta != 1) return fmt::format("beta must be 0 or 1, but is {}", s.beta);
  if (find(batch_kinds, s.batch_kind) == batch_kinds.end()) return "batch_kind is none of strides, offsets, pointers";
  if (s.batch_kind != BatchKind::strides && (s.stride_a != 0 || s.stride_b != 0))
    return fmt::format("stride_a and stride_b belong to a batch of strides and must be 0 for a batch of {}",
                       to_string(s.batch_kind));
  return {};
}

[[noreturn]] void throw_wrong_batch_kind(BatchKind called) {
  throw std::logic_error(fmt::format("this kernel was not made for a batch of {}", to_string(called)));
}

}  // namespace

std::string_view to_string(Backend backend) { return name_of(backends, backend); }
std::string_view to_string(Isa isa) { return name_of(isas, isa); }
std::string_view to_string(BatchKind kind) { return name_of(batch_kinds, kind); }
Backend parse_backend(std::string_view text) { return parse(backends, "backend", text); }
Isa parse_isa(std::string_view text) { return parse(isas, "ISA", text); }

std::string to_string(const BrgemmShape& s) {
  std::string text = fmt::format("m{}_n{}_k{}_lda{}_ldb{}_ldc{}_beta{}_{}", s.m, s.n, s.k, s.lda, s.ldb, s.ldc, s.beta,
                                 to_string(s.batch_kind));
  if (s.batch_kind == BatchKind::strides) text += fmt::format("_sa{}_sb{}", s.stride_a, s.stride_b);
  if (s.next_a != 0) text += fmt::format("_next{}", s.next_a);
  if (s.stream_c) text += "_streamc";
  if (s.image.taps != 0)
    text += fmt::format("_taps{}_step{}_image{}to{}", s.image.taps, s.image.stride, s.image.begin, s.image.end);
  return text;
}

void BrgemmKernel::operator()(const float*, const float*, float*, std::int64_t) const {
  throw_wrong_batch_kind(BatchKind::strides);
}
void BrgemmKernel::operator()(const float*, const float*, float*, std::int64_t, const std::uint64_t*,
                              const std::uint64_t*) const {
  throw_wrong_batch_kind(BatchKind::offsets);
}
void BrgemmKernel::operator()(const float* const*, const float* const*, float*, std::int64_t) const {
  throw_wrong_batch_kind(BatchKind::pointers);
}

Result<BrgemmKernelPtr> make_brgemm(const BrgemmShape& shape, Backend backend, Isa isa) {
  if (std::string reason = invalid_reason(shape); !reason.empty())
    return Result<BrgemmKernelPtr>::unsupported(fmt::format("brgemm {}: {}", to_string(shape), reason));
  const auto entry = find(backends, backend);
  if (entry == backends.end()) return Result<BrgemmKernelPtr>::unsupported("there is no such brgemm backend");
  return entry->make(shape, isa);
}

std::vector<BackendInfo> brgemm_backends() {
  std::vector<BackendInfo> infos;
  for (const BackendEntry& entry : backends) infos.push_back(entry.info());
  return infos;
}

}  // namespace brickwork
