#include "brgemm_check.hpp"

#include <fmt/format.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace brickwork {
namespace {

constexpr float poison = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t margin = 64;  // poisoned floats on the operand's open side

// Memory between two pages that may not be touched.
class GuardedRegion {
 public:
  explicit GuardedRegion(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    bytes_ = (bytes + page_ - 1) / page_ * page_;
    void* mapped = mmap(nullptr, bytes_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    mapped_ = static_cast<char*>(mapped);
    if (mprotect(mapped_ + page_, bytes_, PROT_READ | PROT_WRITE) != 0)
      throw std::system_error(errno, std::generic_category(), "mprotect");
  }
  GuardedRegion(const GuardedRegion&) = delete;
  GuardedRegion& operator=(const GuardedRegion&) = delete;
  ~GuardedRegion() { munmap(mapped_, bytes_ + 2 * page_); }

  std::size_t floats() const { return bytes_ / sizeof(float); }
  float* begin() { return reinterpret_cast<float*>(mapped_ + page_); }
  float* end() { return begin() + floats(); }

 private:
  std::size_t page_, bytes_;
  char* mapped_;
};

// One operand against a guard page, its margin and itself poisoned; `before` keeps what it held, bit by bit.
class Operand {
 public:
  Operand(std::size_t size, bool guard_after, GuardedRegion& region) : size_(size), guard_after_(guard_after) {
    if (size + margin > region.floats()) throw std::logic_error("check_brgemm: the case is too large");
    data_ = guard_after ? region.end() - size : region.begin();
    std::fill_n(first(), size + margin, poison);
  }

  float* data() { return data_; }
  void keep() { before_.assign(first(), first() + size_ + margin); }
  bool unchanged() const { return std::memcmp(first(), before_.data(), before_.size() * sizeof(float)) == 0; }

  // Did anything change but the rows x cols tile at the start of the operand?
  bool unchanged_outside(int rows, int cols, std::int64_t ld) {
    for (int i = 0; i < rows; ++i) {
      float* row = before_.data() + (data_ - first()) + i * ld;
      std::memcpy(row, data_ + i * ld, cols * sizeof(float));
    }
    return unchanged();
  }

 private:
  float* first() const { return guard_after_ ? data_ - margin : data_; }

  std::size_t size_;
  bool guard_after_;
  float* data_;
  std::vector<float> before_;
};

sigjmp_buf fault_return;
void on_fault(int) { siglongjmp(fault_return, 1); }

// Calls f; false when it touched a page that may not be touched.
template <class F>
bool runs_without_fault(F&& f) {
  struct sigaction action = {}, old_segv, old_bus;
  action.sa_handler = on_fault;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &old_segv);
  sigaction(SIGBUS, &action, &old_bus);
  const bool faulted = sigsetjmp(fault_return, 1) != 0;
  if (!faulted) f();
  sigaction(SIGSEGV, &old_segv, nullptr);
  sigaction(SIGBUS, &old_bus, nullptr);
  return !faulted;
}

// Integers -4 .. 4, so that every sum here is exact in f32.
class SmallIntegers {
 public:
  explicit SmallIntegers(unsigned seed) : state_(seed) {}
  float operator()() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<int>((state_ >> 16) % 9u) - 4);
  }

 private:
  std::uint32_t state_;
};

// Where the members lie: in order and a stride apart for strides, else out of order (the first not lowest) and, for B,
// with repetitions.
struct Placement {
  std::size_t extent_a, extent_b;       // floats that one member covers
  std::int64_t distance_a, distance_b;  // between neighbours
  std::vector<std::int64_t> slot_a, slot_b;

  Placement(const BrgemmShape& s, std::int64_t batch)
      : extent_a((s.m - 1) * s.lda + s.k), extent_b((s.k - 1) * s.ldb + s.n) {
    const bool strides = s.batch_kind == BatchKind::strides;
    distance_a = strides ? s.stride_a : static_cast<std::int64_t>(extent_a) + 3;
    distance_b = strides ? s.stride_b : static_cast<std::int64_t>(extent_b) + 5;
    for (std::int64_t i = 0; i < batch; ++i) {
      slot_a.push_back(strides ? i : batch - 1 - i);
      slot_b.push_back(strides ? i : (2 * i + 1) % batch);
    }
  }

  static std::size_t size(std::int64_t batch, std::int64_t distance, std::size_t extent) {
    return batch == 0 ? 0 : static_cast<std::size_t>((batch - 1) * distance) + extent;
  }
};

void fill(float* matrix, int rows, int cols, std::int64_t ld, SmallIntegers& value) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) matrix[i * ld + j] = value();
}

// expected += A B, where expected is tight.
void accumulate(const BrgemmShape& s, const float* a, const float* b, std::vector<float>& expected) {
  for (int i = 0; i < s.m; ++i)
    for (int k = 0; k < s.k; ++k)
      for (int j = 0; j < s.n; ++j) expected[i * s.n + j] += a[i * s.lda + k] * b[k * s.ldb + j];
}

}  // namespace

std::string to_string(const BrgemmCase& c) {
  return fmt::format("{} batch {} seed {} guard {}", to_string(c.shape), c.batch, c.seed,
                     c.guard_after ? "after" : "before");
}

BrgemmShape padded_shape(int m, int n, int k, std::int64_t pad, int beta, BatchKind kind) {
  BrgemmShape s{
      .m = m, .n = n, .k = k, .lda = k + pad, .ldb = n + pad, .ldc = n + pad, .beta = beta, .batch_kind = kind};
  if (kind == BatchKind::strides) {
    s.stride_a = m * s.lda + 3 * pad;
    s.stride_b = k * s.ldb + 5 * pad;
  }
  return s;
}

std::string check_brgemm(const BrgemmKernel& kernel, const BrgemmCase& test) {
  static GuardedRegion region_a(std::size_t{8} << 20), region_b(std::size_t{8} << 20), region_c(std::size_t{1} << 20);
  const BrgemmShape& s = test.shape;
  const Placement place(s, test.batch);
  SmallIntegers value(test.seed);

  Operand a(Placement::size(test.batch, place.distance_a, place.extent_a), test.guard_after, region_a);
  Operand b(Placement::size(test.batch, place.distance_b, place.extent_b), test.guard_after, region_b);
  Operand c((s.m - 1) * s.ldc + s.n, test.guard_after, region_c);
  for (std::int64_t i = 0; i < test.batch; ++i) {
    fill(a.data() + i * place.distance_a, s.m, s.k, s.lda, value);
    fill(b.data() + i * place.distance_b, s.k, s.n, s.ldb, value);
  }
  for (std::int64_t i = 0; s.image.taps != 0 && i < test.batch; ++i) {
    for (int row = 0; row < s.m; ++row) {
      if (s.image.has(row, static_cast<int>(i % s.image.taps))) continue;
      std::fill_n(a.data() + place.slot_a[i] * place.distance_a + row * s.lda, s.k, 0.0f);
    }
  }
  if (s.beta == 1) fill(c.data(), s.m, s.n, s.ldc, value);  // else C stays poisoned: beta 0 must not read it

  std::vector<float> expected(static_cast<std::size_t>(s.m) * s.n, 0.0f);
  if (s.beta == 1)
    for (int i = 0; i < s.m; ++i) std::copy_n(c.data() + i * s.ldc, s.n, expected.data() + i * s.n);
  std::vector<const float*> pointers_a, pointers_b;
  std::vector<std::uint64_t> offsets_a, offsets_b;
  for (std::int64_t i = 0; i < test.batch; ++i) {
    pointers_a.push_back(a.data() + place.slot_a[i] * place.distance_a);
    pointers_b.push_back(b.data() + place.slot_b[i] * place.distance_b);
    offsets_a.push_back((pointers_a[i] - a.data()) * sizeof(float));
    offsets_b.push_back((pointers_b[i] - b.data()) * sizeof(float));
    accumulate(s, pointers_a[i], pointers_b[i], expected);
  }

  a.keep();
  b.keep();
  c.keep();
  const auto kept_pointers_a = pointers_a, kept_pointers_b = pointers_b;
  const auto kept_offsets_a = offsets_a, kept_offsets_b = offsets_b;
  const bool no_fault = runs_without_fault([&] {
    switch (s.batch_kind) {
      case BatchKind::strides:
        return kernel(a.data(), b.data(), c.data(), test.batch);
      case BatchKind::offsets:
        return kernel(a.data(), b.data(), c.data(), test.batch, offsets_a.data(), offsets_b.data());
      case BatchKind::pointers:
        return kernel(pointers_a.data(), pointers_b.data(), c.data(), test.batch);
    }
  });

  if (!no_fault) return "it touched memory outside A, B and C";
  if (pointers_a != kept_pointers_a || pointers_b != kept_pointers_b) return "it modified a pointer array";
  if (offsets_a != kept_offsets_a || offsets_b != kept_offsets_b) return "it modified an offset array";
  if (!a.unchanged()) return "it modified A";
  if (!b.unchanged()) return "it modified B";
  for (int i = 0; i < s.m; ++i)
    for (int j = 0; j < s.n; ++j) {
      const float got = c.data()[i * s.ldc + j], want = expected[i * s.n + j];
      if (!(got == want)) return fmt::format("C[{}][{}] is {}, expected {}", i, j, got, want);
    }
  if (!c.unchanged_outside(s.m, s.n, s.ldc)) return "it wrote outside its tile of C";
  return {};
}

}  // namespace brickwork
