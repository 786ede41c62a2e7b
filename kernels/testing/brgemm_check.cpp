#include "kernels/testing/brgemm_check.hpp"

#include <fmt/format.h>
#include <setjmp.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "kernels/testing/guarded_buffer.hpp"

namespace brickwork {
namespace {

constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();
constexpr float kAroundC = 1e6f;  // a number, as a NaN that is read from around A or B and written there would not show
constexpr std::size_t kMargin = 64;  // poisoned floats on the operand's open side

// One operand that begins or ends at a guard page. The operand and its margin are filled with one value; keep() saves
// their bits in `before_`.
class Operand {
 public:
  Operand(std::size_t size, bool guard_after, GuardedRegion& region, float value = kPoison)
      : size_(size), guard_after_(guard_after) {
    if (size + kMargin > region.size<float>()) throw std::logic_error("check_brgemm: the case is too large");
    data_ = guard_after ? region.end<float>() - size : region.begin<float>();
    std::fill_n(first(), size + kMargin, value);
  }

  float* data() { return data_; }
  void keep() { before_.assign(first(), first() + size_ + kMargin); }
  bool unchanged() const { return std::memcmp(first(), before_.data(), before_.size() * sizeof(float)) == 0; }

  // The rows x cols tile at `begin` no longer counts as changed.
  void accept(std::int64_t begin, int rows, int cols, std::int64_t ld) {
    for (int i = 0; i < rows; ++i) {
      float* row = before_.data() + (data_ - first()) + begin + i * ld;
      std::memcpy(row, data_ + begin + i * ld, cols * sizeof(float));
    }
  }

 private:
  float* first() const { return guard_after_ ? data_ - kMargin : data_; }

  std::size_t size_;
  bool guard_after_;
  float* data_;
  std::vector<float> before_;
};

// runs_without_fault() calls f and returns false if f touched a guard page. The signal handlers stay installed: two
// system calls for each of 100,000 cases would take most of their time. A fault anywhere else still ends the program.
sigjmp_buf fault_return;
volatile sig_atomic_t fault_is_awaited = 0;

void on_fault(int signal_number) {
  if (fault_is_awaited) siglongjmp(fault_return, 1);
  signal(signal_number, SIG_DFL);
}

template <class F>
bool runs_without_fault(F&& f) {
  static const bool handled = [] {
    struct sigaction action = {};
    action.sa_handler = on_fault;
    action.sa_flags = SA_NODEFER;  // a jump out of the handler leaves no signal blocked
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSEGV, &action, nullptr) == 0 && sigaction(SIGBUS, &action, nullptr) == 0;
  }();
  if (!handled) throw std::system_error(errno, std::generic_category(), "sigaction");
  const bool faulted = sigsetjmp(fault_return, 0) != 0;
  fault_is_awaited = !faulted;
  if (!faulted) f();
  fault_is_awaited = 0;
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

// Places of the members. Strides: in order, a stride apart. Offsets: out of order (the first is not the lowest), and
// for B with repetitions.
struct Placement {
  std::size_t extent_a, extent_b;       // floats that one member covers
  std::int64_t distance_a, distance_b;  // between neighbours
  std::vector<std::int64_t> slot_a, slot_b;

  Placement(const BrgemmShape& s, int rows_of_a, std::int64_t batch)
      : extent_a(s.a_transposed && rows_of_a != 0 ? extent(s.k, s.lda, rows_of_a) : extent(rows_of_a, s.lda, s.k)),
        extent_b(extent(s.k, s.ldb, s.n)) {
    const bool strides = s.batch_kind == BatchKind::strides;
    distance_a = strides ? s.stride_a : static_cast<std::int64_t>(extent_a) + 3;
    distance_b = strides ? s.stride_b : static_cast<std::int64_t>(extent_b) + 5;
    for (std::int64_t i = 0; i < batch; ++i) {
      slot_a.push_back(strides ? i : batch - 1 - i);
      slot_b.push_back(strides ? i : (2 * i + 1) % batch);
    }
  }

  static std::size_t extent(int rows, std::int64_t ld, int cols) {
    return rows == 0 ? 0 : static_cast<std::size_t>((rows - 1) * ld + cols);
  }
  static std::size_t size(std::int64_t batch, std::int64_t distance, std::size_t extent) {
    return batch == 0 || extent == 0 ? 0 : static_cast<std::size_t>((batch - 1) * distance) + extent;
  }
};

void fill(float* matrix, int rows, int cols, std::int64_t ld, SmallIntegers& value) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) matrix[i * ld + j] = value();
}

void fill_a(const BrgemmShape& s, float* a, int rows, SmallIntegers& value) {
  if (s.a_transposed)
    fill(a, s.k, rows, s.lda, value);
  else
    fill(a, rows, s.k, s.lda, value);
}

// expected += A B; the rows of expected are contiguous.
void accumulate(const BrgemmShape& s, int rows, const float* a, const float* b, std::vector<float>& expected) {
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < s.k; ++k) {
      const float a_ik = a[s.a_transposed ? k * s.lda + i : i * s.lda + k];
      for (int j = 0; j < s.n; ++j) expected[i * s.n + j] += a_ik * b[k * s.ldb + j];
    }
}

struct Members {
  std::vector<const float*> pointers_a, pointers_b;
  std::vector<std::uint64_t> offsets_a, offsets_b;

  Members(const Placement& place, const float* a, const float* b) {
    for (std::size_t i = 0; i < place.slot_a.size(); ++i) {
      pointers_a.push_back(a + place.slot_a[i] * place.distance_a);
      pointers_b.push_back(b + place.slot_b[i] * place.distance_b);
      offsets_a.push_back((pointers_a[i] - a) * sizeof(float));
      offsets_b.push_back((pointers_b[i] - b) * sizeof(float));
    }
  }
};

// A copy of a list that ends at a guard page.
class GuardedList {
 public:
  using T = std::uint64_t;
  GuardedList(const std::vector<T>& list, GuardedRegion& region)
      : list_(list), copy_(region.end<T>() - list.size(), list.size()) {
    if (list.size() > region.size<T>()) {
      throw std::logic_error("check_brgemm: the batch is too large");
    }
    std::ranges::copy(list, copy_.begin());
  }
  const T* data() const { return copy_.data(); }
  bool unchanged() const { return std::ranges::equal(list_, copy_); }

 private:
  const std::vector<T>& list_;
  std::span<T> copy_;
};

}  // namespace

std::string to_string(const BrgemmCase& c) {
  const SimdTuning& t = c.hints.tuning;
  const char* spread = t.spread == SpreadA::shuffled ? " shuffled" : t.spread == SpreadA::memory ? " from memory" : "";
  const char* code = c.hints.code == TileCode::generated ? " generated" : "";
  return fmt::format("{} {}{}{} ahead {}/{} kept {} batch {} seed {} guard {} rows {} next_a {}{}{}{}{}",
                     to_string(c.shape), to_string(c.hints), code, spread, t.ahead, t.few, t.kept, c.batch, c.seed,
                     c.guard_after ? "after" : "before", c.rows, c.next_a, c.bias ? " bias" : "",
                     c.residual ? " residual" : "", " ", to_string(c.last));
}

BrgemmShape padded_shape(int m, int n, int k, std::int64_t pad, int beta, BatchKind kind, bool a_transposed) {
  BrgemmShape s{.m = m,
                .n = n,
                .k = k,
                .lda = (a_transposed ? m : k) + pad,
                .ldb = n + pad,
                .ldc = n + pad,
                .a_transposed = a_transposed,
                .beta = beta,
                .batch_kind = kind};
  if (kind == BatchKind::strides) {
    s.stride_a = (a_transposed ? k : m) * s.lda + 3 * pad;
    s.stride_b = k * s.ldb + 5 * pad;
  }
  return s;
}

std::string check_brgemm(const BrgemmKernel& kernel, const BrgemmCase& test) {
  static GuardedRegion region_a(std::size_t{8} << 20), region_b(std::size_t{8} << 20), region_c(std::size_t{1} << 20),
      region_bias(std::size_t{1} << 16), region_residual(std::size_t{1} << 20), region_at(std::size_t{1} << 20);
  const BrgemmShape& s = test.shape;
  const int rows = test.rows < 0 ? s.m : test.rows;
  // If the guard follows, A and C end with the last row of the call; otherwise they have all rows of the shape.
  const int rows_there = test.guard_after ? rows : s.m;
  const std::int64_t ldr = s.ldc + 2, ldat = s.ldc + 5;
  const Placement place(s, rows_there, test.batch);
  SmallIntegers value(test.seed);

  Operand a(Placement::size(test.batch, place.distance_a, place.extent_a), test.guard_after, region_a);
  Operand b(Placement::size(test.batch, place.distance_b, place.extent_b), test.guard_after, region_b);
  Operand c(Placement::extent(rows_there, s.ldc, s.n), test.guard_after, region_c, kAroundC);
  Operand bias(s.n, test.guard_after, region_bias);
  Operand residual(Placement::extent(rows, ldr, s.n), test.guard_after, region_residual);
  Operand at(Placement::extent(rows, ldat, s.n), test.guard_after, region_at);
  for (std::int64_t i = 0; i < test.batch; ++i) {
    fill_a(s, a.data() + i * place.distance_a, rows, value);
    fill(b.data() + i * place.distance_b, s.k, s.n, s.ldb, value);
  }
  const ZeroRows& zeros = test.hints.zero_rows;
  for (std::int64_t i = 0; zeros.period != 0 && i < test.batch; ++i)
    for (int row = 0; row < rows; ++row)
      if (zeros.zero(row, static_cast<int>(i % zeros.period)))
        for (int k = 0; k < s.k; ++k)
          a.data()[place.slot_a[i] * place.distance_a + row * s.row_of_a() + k * s.step_of_a()] = 0.0f;
  for (int i = 0; i < rows; ++i) {
    float* row = c.data() + i * s.ldc;
    if (s.beta == 1)
      fill(row, 1, s.n, s.n, value);
    else
      std::fill_n(row, s.n, kPoison);  // must not be read
  }
  fill(bias.data(), 1, s.n, s.n, value);
  fill(residual.data(), rows, s.n, ldr, value);
  fill(at.data(), rows, s.n, ldat, value);

  const Members members(place, a.data(), b.data());
  std::vector<float> expected(static_cast<std::size_t>(rows) * s.n, 0.0f);
  if (s.beta == 1)
    for (int i = 0; i < rows; ++i) std::copy_n(c.data() + i * s.ldc, s.n, expected.data() + i * s.n);
  for (std::int64_t i = 0; i < test.batch; ++i)
    accumulate(s, rows, members.pointers_a[i], members.pointers_b[i], expected);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < s.n; ++j) {
      float& x = expected[i * s.n + j];
      if (test.bias) x += bias.data()[j];
      if (test.residual) x += residual.data()[i * ldr + j];
    }

  for (Operand* operand : {&a, &b, &c, &bias, &residual, &at}) operand->keep();
  constexpr std::size_t kListBytes = std::size_t{1} << 16;
  static GuardedRegion region_offsets_a(kListBytes), region_offsets_b(kListBytes);
  const GuardedList offsets_a(members.offsets_a, region_offsets_a), offsets_b(members.offsets_b, region_offsets_b);
  const BrgemmCall call{
      .batch = s.batch_kind == BatchKind::strides
                   ? strided_batch(s, a.data(), b.data(), test.batch)
                   : Batch::at_offsets(a.data(), b.data(), test.batch, offsets_a.data(), offsets_b.data()),
      .c = c.data(),
      .rows = test.rows,
      .next_a = test.next_a,
      .read_next = test.read_next,
      .epilogue = {.bias = test.bias ? bias.data() : nullptr,
                   .residual = test.residual ? residual.data() : nullptr,
                   .ldr = ldr,
                   .activation = test.last.activation,
                   .at = test.last.derivative ? at.data() : nullptr,
                   .ldat = ldat}};
  if (!runs_without_fault([&] { kernel(call); })) return "it touched memory outside its operands";
  if (!offsets_a.unchanged() || !offsets_b.unchanged()) return "it modified an offset array";
  if (!a.unchanged()) return "it modified A";
  if (!b.unchanged()) return "it modified B";
  if (!bias.unchanged() || !residual.unchanged() || !at.unchanged()) return "it modified what its epilogue reads";
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < s.n; ++j) {
      const float got = c.data()[i * s.ldc + j], sum = expected[i * s.n + j], where = at.data()[i * ldat + j];
      if (!test.last.accepts(got, sum, where))
        return fmt::format("C[{}][{}] is {}, expected {}", i, j, got, test.last(sum, where));
    }
  c.accept(0, rows, s.n, s.ldc);
  if (!c.unchanged()) return "it wrote outside its tile of C";
  return {};
}

}  // namespace brickwork
