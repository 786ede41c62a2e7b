#include "generated_tiles.hpp"

#include <fmt/format.h>

#ifdef BRICKWORK_HAS_XBYAK
#include <immintrin.h>
#include <xbyak/xbyak.h>

#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#endif

namespace brickwork {

#ifdef BRICKWORK_HAS_XBYAK
namespace {

constexpr int kRegisters = 32, kLanes = 16, kMostRows = 28;
// Of a member with so few FMAs (rows x vectors x steps) all steps are unrolled: 1 % of ResNet-50's first layer.
constexpr int kMostSteps = 640;
constexpr int kFloat = sizeof(float), kVector = kLanes * kFloat, kLine = 64;  // bytes

// What the code reads of a call. Pointers are to the first tile of the band.
struct Arguments {
  const float *a, *b;  // where the batch has offsets: what they count from
  float* c;
  const float *bias, *residual;
  const std::uint64_t *offsets_a, *offsets_b;
  std::int64_t members, tiles;
  std::int64_t ldr, next_a;                                       // bytes
  const LiveRows* live;                                           // null: all are
  std::int64_t first_asks_for_b, others_ask_for_b, relu, stream;  // 0 or 1
};
static_assert(sizeof(LiveRows) == 1);

struct TileSize {
  int rows, vecs, last_lanes;
};

// One band of tiles of one size. In a tile: for every member of the batch, for every k, for every row.
class BandCode : public Xbyak::CodeGenerator {
 public:
  BandCode(const BrgemmShape& shape, const BrgemmHints& hints, TileSize size)
      : CodeGenerator(4096, Xbyak::AutoGrow),
        shape_(shape),
        hints_(hints),
        rows_(size.rows),
        vecs_(size.vecs),
        last_lanes_(size.last_lanes),
        a_from_memory_(vecs_ == 1 && hints.tuning.spread == SpreadA::memory),
        sums_(independent_sums(kRegisters, rows_ * vecs_, vecs_ + 1)),
        shuffled_(vecs_ == 1 && hints.tuning.spread == SpreadA::shuffled ? shuffled_rows(kRegisters, rows_, sums_) : 0),
        first_free_(sums_ * rows_ * vecs_ + shuffled_) {
    generate();
    ready(PROTECT_RE);
  }

  void run(Arguments& call) const { getCode<void (*)(Arguments*)>()(&call); }

 private:
  using Reg = Xbyak::Reg64;
  using Zmm = Xbyak::Zmm;

  // --- Registers

  const Reg arguments = rdi, tile_a = rsi, tile_c = rdx, members = rcx, a = r8, b = r9, turns = r10, scratch = rax,
            other = r11, tiles = rbx, live = rbp, next_a = r12, next_b = r13, place = r14, base_b = r15;
  const std::array<Reg, 6> saved = {rbx, rbp, r12, r13, r14, r15};
  const Xbyak::Opmask tail = k1;

  Zmm sum(int s, int r, int v) const { return Zmm((s * rows_ + r) * vecs_ + v); }
  Zmm quad(int r) const { return Zmm(sums_ * rows_ * vecs_ + r); }
  bool is_tail(int v) const { return v == vecs_ - 1 && last_lanes_ < kLanes; }
  static int high(int i) { return kRegisters - 1 - i; }  // of the last ones, which no tile's first sum reaches

  // --- Memory

  int row_a() const { return static_cast<int>(shape_.lda) * kFloat; }
  int row_b() const { return static_cast<int>(shape_.ldb) * kFloat; }
  int row_c() const { return static_cast<int>(shape_.ldc) * kFloat; }
  Xbyak::Address argument(std::size_t offset) const { return qword[arguments + offset]; }

  void load(const Zmm& to, const Xbyak::RegExp& from, int v) {
    vmovups(is_tail(v) ? to | tail | T_z : to, ptr[from + v * kVector]);
  }
  void add_to(const Zmm& x, const Xbyak::RegExp& from, int v) {
    vaddps(is_tail(v) ? x | tail : x, x, ptr[from + v * kVector]);
  }

  // --- Code

  void generate() {
    for (const Reg& r : saved) push(r);
    if (last_lanes_ < kLanes) {
      mov(scratch.cvt32(), (1 << last_lanes_) - 1);
      kmovw(tail, scratch.cvt32());
    }
    mov(tile_a, argument(offsetof(Arguments, a)));
    mov(base_b, argument(offsetof(Arguments, b)));
    mov(tile_c, argument(offsetof(Arguments, c)));
    mov(tiles, argument(offsetof(Arguments, tiles)));
    mov(live, argument(offsetof(Arguments, live)));
    Xbyak::Label tile;
    L(tile);
    add_members();
    finish();
    add(tile_a, rows_ * row_a());
    add(tile_c, rows_ * row_c());
    if (hints_.zero_rows.period != 0) add(live, hints_.zero_rows.period);
    if (may_ask_for_b()) {
      mov(scratch, argument(offsetof(Arguments, others_ask_for_b)));
      mov(argument(offsetof(Arguments, first_asks_for_b)), scratch);
    }
    dec(tiles);
    jnz(tile, T_NEAR);
    vzeroupper();
    for (auto r = saved.rbegin(); r != saved.rend(); ++r) pop(*r);
    ret();
  }

  void add_members() {
    for (int i = 0; i < sums_ * rows_ * vecs_; ++i) vpxord(Zmm(i), Zmm(i), Zmm(i));
    const bool strided = shape_.batch_kind == BatchKind::strides;
    if (strided) {
      mov(next_a, tile_a);
      mov(next_b, base_b);
    } else {
      mov(next_a, argument(offsetof(Arguments, offsets_a)));
      mov(next_b, argument(offsetof(Arguments, offsets_b)));
    }
    if (hints_.zero_rows.period != 0) xor_(place, place);
    Xbyak::Label member, next, end;
    mov(members, argument(offsetof(Arguments, members)));
    test(members, members);
    jz(end, T_NEAR);
    L(member);
    if (strided) {
      mov(a, next_a);
      mov(b, next_b);
      advance(next_a, shape_.stride_a * kFloat);
      advance(next_b, shape_.stride_b * kFloat);
    } else {
      mov(a, ptr[next_a]);
      mov(b, ptr[next_b]);
      add(a, tile_a);
      add(b, base_b);
      add(next_a, sizeof(std::uint64_t));
      add(next_b, sizeof(std::uint64_t));
    }
    if (hints_.zero_rows.period == 0) {
      add_member(0, rows_);
    } else {
      add_live_rows(next);
    }
    L(next);
    dec(members);
    jnz(member, T_NEAR);
    L(end);
  }

  void advance(const Reg& pointer, std::int64_t bytes) {
    mov(scratch, bytes);
    add(pointer, scratch);
  }

  void add_live_rows(const Xbyak::Label& next) {
    Xbyak::Label all, round, but_first, but_last;
    cmp(argument(offsetof(Arguments, live)), 0);
    je(all, T_NEAR);
    movzx(scratch.cvt32(), byte[live + place]);
    inc(place);
    cmp(place, hints_.zero_rows.period);
    jne(round);
    xor_(place, place);
    L(round);
    cmp(scratch.cvt32(), static_cast<int>(LiveRows::none));
    je(next, T_NEAR);
    if (rows_ > 1) {
      cmp(scratch.cvt32(), static_cast<int>(LiveRows::but_first));
      je(but_first, T_NEAR);
      cmp(scratch.cvt32(), static_cast<int>(LiveRows::but_last));
      je(but_last, T_NEAR);
    }
    L(all);
    add_member(0, rows_);
    if (rows_ > 1) {
      jmp(next, T_NEAR);
      L(but_first);
      add_member(1, rows_);
      jmp(next, T_NEAR);
      L(but_last);
      add_member(0, rows_ - 1);
    }
  }

  // A tile one vector wide takes B slowly enough for any hardware to keep up; one of few rows does little but load B.
  bool may_ask_for_b() const { return hints_.tuning.ahead != 0 && vecs_ > 1 && rows_ > 3; }

  void add_member(int first, int end) {
    Xbyak::Label known, without, done;
    mov(other, argument(offsetof(Arguments, next_a)));
    test(other, other);
    jz(known, T_NEAR);
    ask_for_a(first, end);
    L(known);
    if (may_ask_for_b()) {
      cmp(argument(offsetof(Arguments, first_asks_for_b)), 0);
      je(without, T_NEAR);
      add_steps(first, end, true);
      jmp(done, T_NEAR);
      L(without);
    }
    add_steps(first, end, false);
    L(done);
  }

  // `other` holds how far on from `a` they lie.
  void ask_for_a(int first, int end) {
    const std::int64_t length = std::min<std::int64_t>(shape_.k, shape_.lda) * kFloat;
    Xbyak::Label line;
    add(other, a);
    mov(turns, (length + kLine - 1) / kLine);
    L(line);
    for (int r = first; r < end; ++r) prefetcht0(ptr[other + r * row_a()]);
    add(other, kLine);
    dec(turns);
    jnz(line, T_NEAR);
  }

  void add_steps(int first, int end, bool asks) {
    constexpr int kAtOnce = 4;
    const bool all_at_once = std::int64_t{shape_.k} * rows_ * vecs_ <= kMostSteps;
    const int turn = all_at_once ? shape_.k : std::max(kAtOnce, sums_), whole = shape_.k / turn;
    Xbyak::Label again;
    if (whole > 1) {
      mov(turns, whole);
      L(again);
    }
    for (int k = 0; k < turn && whole > 0; ++k) add_step(k, first, end, asks, k / 4 < turn / 4 ? shuffled_ : 0);
    if (whole > 1 || (whole > 0 && shape_.k % turn != 0)) {
      add(a, turn * kFloat);
      add(b, turn * row_b());
    }
    if (whole > 1) {
      dec(turns);
      jnz(again, T_NEAR);
    }
    for (int k = 0; k < shape_.k % turn; ++k) add_step(k, first, end, false, 0);
  }

  // As many vectors of a row of B are held as there is room for beside an element of A.
  void add_step(int k, int first, int end, bool asks, int shuffled) {
    const int room = kRegisters - first_free_;
    const EqualSpans parts(vecs_, room - 1);
    for (int r = first; k % 4 == 0 && r < std::min(end, shuffled); ++r) {
      vbroadcastf32x4(quad(r), ptr[a + r * row_a() + k * kFloat]);
    }
    int asked = 0;
    for (int part = 0; part < parts.pieces; ++part) {
      const Span columns = parts[part];
      const auto of_b = [&](int v) { return Zmm(first_free_ + v - columns.begin); };
      for (int v = columns.begin; v < columns.end(); ++v) load(of_b(v), b + k * row_b(), v);
      const int elements = room - columns.size;
      for (int r = first; r < end; ++r) {
        if (asks && asked < vecs_) {
          prefetcht0(ptr[b + (k + static_cast<int>(hints_.tuning.ahead)) * row_b() + asked++ * kVector]);
        }
        const auto from = a + r * row_a() + k * kFloat;
        if (a_from_memory_) {
          vfmadd231ps(sum(k % sums_, r, 0), of_b(0), ptr_b[from]);
          continue;
        }
        const Zmm element(first_free_ + columns.size + r % elements);
        if (r < shuffled) {
          vpermilps(element, quad(r), k % 4 * 0b01010101);
        } else {
          vbroadcastss(element, ptr[from]);
        }
        for (int v = columns.begin; v < columns.end(); ++v) vfmadd231ps(sum(k % sums_, r, v), of_b(v), element);
      }
    }
  }

  void finish() {
    for (int s = 1; s < sums_; ++s) {
      for (int i = 0; i < rows_ * vecs_; ++i) vaddps(Zmm(i), Zmm(i), Zmm(s * rows_ * vecs_ + i));
    }
    if (shape_.beta != 0) {
      for (int r = 0; r < rows_; ++r) {
        for (int v = 0; v < vecs_; ++v) add_to(sum(0, r, v), tile_c + r * row_c(), v);
      }
    }
    add_bias();
    add_residual();
    apply_relu();
    store();
  }

  void add_bias() {
    Xbyak::Label none;
    mov(scratch, argument(offsetof(Arguments, bias)));
    test(scratch, scratch);
    jz(none, T_NEAR);
    for (int v = 0; v < vecs_; ++v) {
      load(Zmm(high(v)), scratch, v);
      for (int r = 0; r < rows_; ++r) vaddps(sum(0, r, v), sum(0, r, v), Zmm(high(v)));
    }
    L(none);
  }

  void add_residual() {
    Xbyak::Label none;
    mov(scratch, argument(offsetof(Arguments, residual)));
    test(scratch, scratch);
    jz(none, T_NEAR);
    mov(other, argument(offsetof(Arguments, ldr)));
    for (int r = 0; r < rows_; ++r) {
      for (int v = 0; v < vecs_; ++v) add_to(sum(0, r, v), scratch, v);
      add(scratch, other);
    }
    mov(argument(offsetof(Arguments, residual)), scratch);
    L(none);
  }

  // The maximum is its second operand where one of the two is a NaN.
  void apply_relu() {
    Xbyak::Label none;
    const Zmm zero(high(0));
    mov(scratch, argument(offsetof(Arguments, relu)));
    test(scratch, scratch);
    jz(none, T_NEAR);
    vpxord(zero, zero, zero);
    for (int i = 0; i < rows_ * vecs_; ++i) vmaxps(Zmm(i), zero, Zmm(i));
    L(none);
  }

  void store() {
    Xbyak::Label cached, done;
    if (hints_.stream_c) {
      mov(scratch, argument(offsetof(Arguments, stream)));
      test(scratch, scratch);
      jz(cached, T_NEAR);
      store_rows(true);
      jmp(done, T_NEAR);
      L(cached);
    }
    store_rows(false);
    L(done);
  }

  void store_rows(bool stream) {
    for (int r = 0; r < rows_; ++r) {
      for (int v = 0; v < vecs_; ++v) {
        const auto to = ptr[tile_c + r * row_c() + v * kVector];
        if (is_tail(v)) {
          vmovups(to | tail, sum(0, r, v));
        } else if (stream) {
          vmovntps(to, sum(0, r, v));
        } else {
          vmovups(to, sum(0, r, v));
        }
      }
    }
  }

  const BrgemmShape& shape_;
  const BrgemmHints& hints_;
  const int rows_, vecs_, last_lanes_;
  const bool a_from_memory_;
  const int sums_, shuffled_;
  const int first_free_;  // register
};

// Whether all distances within a tile and to the next one fit the 31 bits that an instruction has for them.
bool fits(const BrgemmShape& s, const SimdTuning& tuning) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max() / kFloat;
  return std::max(s.lda, s.ldc) <= kMost / (2 * kMostRows) && s.ldb <= kMost / (kMostSteps + tuning.ahead + 1);
}

class Avx512Tiles final : public GeneratedTiles {
 public:
  Avx512Tiles(const BrgemmShape& shape, const BrgemmHints& hints, const Panel& panel)
      : shape_(shape), hints_(hints), vecs_(panel.vecs), last_lanes_(panel.last_lanes) {}

  void prepare(int rows) const override { code(rows); }

  void run(const BrgemmCall& call, const Band& band) const override {
    const Batch& batch = call.batch;
    const TileEpilogue& epilogue = call.epilogue;
    float* const c = static_cast<float*>(call.c) + band.row * shape_.ldc + band.column;
    const auto* residual = static_cast<const float*>(epilogue.residual);
    const bool stream =
        band.access.stream && reinterpret_cast<std::uintptr_t>(c) % kVector == 0 && shape_.ldc % kLanes == 0;
    const bool b_stays = batch.size * shape_.k * shape_.ldb * kFloat <= band.access.kept;
    Arguments arguments{
        .a = reinterpret_cast<const float*>(batch.base_a) + band.row * shape_.lda,
        .b = reinterpret_cast<const float*>(batch.base_b) + band.column,
        .c = c,
        .bias = epilogue.bias == nullptr ? nullptr : epilogue.bias + band.column,
        .residual = residual == nullptr ? nullptr : residual + band.row * epilogue.ldr + band.column,
        .offsets_a = batch.offsets_a,
        .offsets_b = batch.offsets_b,
        .members = batch.size,
        .tiles = band.tiles,
        .ldr = epilogue.ldr * kFloat,
        .next_a = call.next_a * kFloat,
        .live = band.period == 0 ? nullptr : band.live_rows.data(),
        .first_asks_for_b = 1,
        .others_ask_for_b = !b_stays,
        .relu = epilogue.relu,
        .stream = stream,
    };
    code(band.tile_rows).run(arguments);
    if (stream) _mm_sfence();  // another thread may read C after the call
  }

 private:
  struct Kept {
    std::once_flag once;
    std::unique_ptr<const BandCode> code;
  };

  const BandCode& code(int rows) const {
    Kept& kept = kept_[static_cast<std::size_t>(rows - 1)];
    std::call_once(kept.once, [&] {
      kept.code = std::make_unique<const BandCode>(shape_, hints_, TileSize{rows, vecs_, last_lanes_});
    });
    return *kept.code;
  }

  const BrgemmShape shape_;
  const BrgemmHints hints_;
  const int vecs_, last_lanes_;
  mutable std::array<Kept, kMostRows> kept_;  // [r - 1]: of r rows
};

// By running code, a return.
bool can_write_code() {
  try {
    Xbyak::CodeGenerator code(64, Xbyak::AutoGrow);
    code.ret();
    code.ready(Xbyak::CodeGenerator::PROTECT_RE);
    code.getCode<void (*)()>()();
    return true;
  } catch (const Xbyak::Error&) {
    return false;
  }
}

}  // namespace

std::shared_ptr<const GeneratedTiles> generate_tiles(const BrgemmShape& shape, const BrgemmHints& hints,
                                                     const Panel& panel) {
  if (tile_generator_version().empty() || !fits(shape, hints.tuning)) return nullptr;
  return std::make_shared<Avx512Tiles>(shape, hints, panel);
}

const std::string& tile_generator_version() {
  static const std::string version =
      can_write_code() ? fmt::format("Xbyak {:x}.{:02x}", Xbyak::VERSION >> 12, Xbyak::VERSION >> 4 & 0xff) : "";
  return version;
}

#else

std::shared_ptr<const GeneratedTiles> generate_tiles(const BrgemmShape&, const BrgemmHints&, const Panel&) {
  return nullptr;
}

const std::string& tile_generator_version() {
  static const std::string none;
  return none;
}
#endif

}  // namespace brickwork
