// Assembler of a band of register tiles: names of registers, loads and stores of a tile, prefetching.
#pragma once
#include <xbyak/xbyak.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/cpu/generated/band_code.hpp"

namespace brickwork {

// Number of rows that load four steps of A at a time and spread them by shuffles. A tile one vector wide with m rows
// needs m + 1 loads for m FMAs, so two loads a cycle limit it to m / (m + 1) of peak. Two or three such rows lift that
// limit: from 0.80 to 0.97 of peak at 6 x 16 (Zen 5), from 0.90 to 0.98 at 16 x 16. Shorter tiles have only two, as
// shuffles need ports, too.
constexpr int shuffled_rows(int registers, int rows, int sums) {
  return std::min({rows, rows < 8 ? 2 : 3, registers - sums * rows - 2});
}

class BandAssembler : public Xbyak::CodeGenerator {
 protected:
  static constexpr int kLine = 64;  // bytes

  BandAssembler(const BrgemmShape& shape, const BrgemmHints& hints, TileSize size)
      : CodeGenerator(4096, Xbyak::AutoGrow),
        shape_(shape),
        hints_(hints),
        rows_(size.rows),
        vecs_(size.vecs),
        lanes_(size.lanes),
        last_lanes_(size.last_lanes),
        avx512_(lanes_ == 16),
        vector_(lanes_ * kFloat),
        a_from_memory_(avx512_ && vecs_ == 1 && hints.tuning.spread == SpreadA::memory),
        all_registers_(avx512_ ? 32 : 16),
        registers_(all_registers_ - (has_tail() && !avx512_ ? 1 : 0)),
        sums_(independent_sums(registers_, rows_ * vecs_, vecs_ + 1)),
        shuffled_(vecs_ == 1 && hints.tuning.spread == SpreadA::shuffled && !shape.a_transposed
                      ? shuffled_rows(registers_, rows_, sums_)
                      : 0),
        first_free_(sums_ * rows_ * vecs_ + shuffled_) {}

  using Reg = Xbyak::Reg64;
  using Vec = Xbyak::Ymm;  // Xmm, Ymm or Zmm: a register knows its width

  // --- Registers

  // NOLINTBEGIN(readability-identifier-naming): named like registers
  const Reg arguments = rdi, tile_a = rsi, tile_c = rdx, members = rcx, a = r8, b = r9, turns = r10, ld = r10,
            scratch = rax, below_c = r11, tiles = rbx, live = rbp, next_a = r12, next_b = r13, place = r14,
            base_b = r15;
  // For a transposed A, which has no zero rows and so needs no `place` and `live`: where to prefetch A in this member
  // and in the next one.
  const Reg ask_a = r14, ask_next = rbp;
  const std::array<Reg, 6> saved = {rbx, rbp, r12, r13, r14, r15};
  const Xbyak::Opmask tail = k1, kept = k2;
  // NOLINTEND(readability-identifier-naming)

  Vec vec(int i) const { return avx512_ ? Vec(Xbyak::Zmm(i)) : Vec(i); }
  Vec sum(int s, int r, int v) const { return vec((s * rows_ + r) * vecs_ + v); }
  Vec quad(int r) const { return vec(sums_ * rows_ * vecs_ + r); }
  bool has_tail() const { return last_lanes_ < lanes_; }
  bool is_tail(int v) const { return v == vecs_ - 1 && has_tail(); }
  // Registers counted from the end, where the first sum of no tile lies. With AVX2 the very last one is the mask of a
  // tail.
  Vec high(int i) const { return vec(all_registers_ - 1 - (has_tail() && !avx512_ ? 1 : 0) - i); }
  Vec tail_lanes() const { return vec(all_registers_ - 1); }

  void set_to_zero(const Vec& x) { vxorps(x, x, x); }

  // --- Memory

  int row_a() const { return static_cast<int>(shape_.row_of_a()) * kFloat; }
  int step_a() const { return static_cast<int>(shape_.step_of_a()) * kFloat; }
  int row_b() const { return static_cast<int>(shape_.ldb) * kFloat; }
  int row_c() const { return static_cast<int>(shape_.ldc) * kFloat; }
  Xbyak::Address argument(std::size_t offset) const { return qword[arguments + offset]; }

  void find_tail() {
    if (!has_tail()) return;
    if (avx512_) {
      mov(scratch.cvt32(), (1 << last_lanes_) - 1);
      kmovw(tail, scratch.cvt32());
    } else {
      static constexpr std::int32_t kLanesOfTail[] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};
      mov(scratch, reinterpret_cast<std::size_t>(kLanesOfTail + lanes_ - last_lanes_));
      vmovups(tail_lanes(), ptr[scratch]);
    }
  }
  void load(const Vec& to, const Xbyak::RegExp& from, int v) {
    const auto address = ptr[from + v * vector_];
    if (!is_tail(v)) {
      vmovups(to, address);
    } else if (avx512_) {
      vmovups(to | tail | T_z, address);
    } else {
      vmaskmovps(to, tail_lanes(), address);
    }
  }
  void store(const Xbyak::RegExp& to, const Vec& x, int v, bool stream) {
    const auto address = ptr[to + v * vector_];
    if (!is_tail(v)) {
      stream ? vmovntps(address, x) : vmovups(address, x);
    } else if (avx512_) {
      vmovups(address | tail, x);
    } else {
      vmaskmovps(address, tail_lanes(), x);
    }
  }
  void add_to(const Vec& x, const Xbyak::RegExp& from, int v) {
    if (!is_tail(v)) {
      vaddps(x, x, ptr[from + v * vector_]);
    } else if (avx512_) {
      vaddps(x | tail, x, ptr[from + v * vector_]);
    } else {
      load(high(0), from, v);
      vaddps(x, x, high(0));
    }
  }

  // --- Prefetching: a few lines at a time between the multiply-adds

  // A transposed A streams as B does, and a tile uses only as many elements of a cache line of A as it has rows.
  // Prefetching A raises 64 x 64 blocks that sum over 28 rows of 56 pixels from 0.92 to 0.99 of the speed with an A
  // that is not transposed, with every other pixel from 0.81 to 0.90, and blocks of 16 columns from 0.83 to 0.95
  // (Emerald Rapids). Tiles one vector wide, which never prefetch B, all prefetch A, as their rows reach across more
  // lines.
  bool asks_for_a() const {
    return shape_.a_transposed && hints_.tuning.ahead != 0 && rows_ > 3 && hints_.zero_rows.period == 0;
  }
  bool asks_for_b() const {
    return rows_of_b_ahead(hints_.tuning, shape_.m) != 0 && may_ask_for_b(shape_.m, rows_, vecs_);
  }

  // Prefetches one line of the row of B that is `ahead` rows after row k.
  void ask_for_b(int k, int line) {
    const int ahead = static_cast<int>(rows_of_b_ahead(hints_.tuning, shape_.m));
    prefetcht0(ptr[b + (k + ahead) * row_b() + line * kLine]);
  }

  // After the last steps of a member come the first steps of the next member, not the elements behind this one in
  // memory, which a strided convolution never reads. Prefetching those cost 20 % of the time of ResNet-50's twelfth
  // layer's weight update (Zen 4).
  void find_next_member() {
    Xbyak::Label found;
    if (shape_.batch_kind == BatchKind::strides) {
      mov(ask_next, next_a);
      return;
    }
    mov(ask_next, std::int64_t{shape_.k} * step_a());
    add(ask_next, a);
    cmp(members, 1);
    je(found);
    mov(ask_next, ptr[next_a]);
    add(ask_next, tile_a);
    L(found);
  }

  // `scratch` holds the distance from `a` to the A of the next call.
  void ask_for_next_a(int first, int end) {
    const std::int64_t length = std::min<std::int64_t>(shape_.k, shape_.lda) * kFloat;
    Xbyak::Label line;
    add(scratch, a);
    mov(turns, (length + kLine - 1) / kLine);
    L(line);
    for (int r = first; r < end; ++r) prefetcht0(ptr[scratch + r * row_a()]);
    add(scratch, kLine);
    dec(turns);
    jnz(line, T_NEAR);
  }

  bool asks_for_c() const { return hints_.c == CAccess::prefetch; }

  // Cache lines of a row of B or of C.
  int lines() const { return (vecs_ * vector_ + kLine - 1) / kLine; }

  // Prefetches about four lines of the tile below, until it has all of them. Prefetching all at the tile's beginning
  // gained nothing, as A's misses waited for them. Spread between the FMAs, it makes ResNet-50's first layer 8 to 10 %
  // faster with dst in memory and 4 to 5 % with dst in L3.
  void ask_for_c() {
    const int rows = std::max(1, 4 / lines());
    Xbyak::Label all;
    cmp(below_c, 2 * rows_ * row_c());
    jge(all);
    for (int r = 0; r < rows; ++r) {
      for (int line = 0; line < lines(); ++line) prefetchw(ptr[tile_c + below_c + r * row_c() + line * kLine]);
    }
    add(below_c, rows * row_c());
    L(all);
  }

  // Prefetches one line into L2, as another call uses it: at every step over k, every second or every fourth, so that
  // all lines have come when the call ends. A fully connected layer of 4096 features takes 12 % less time with 24
  // images, 10 % with 32 and 6 % with 64; with a fixed rate of one line a turn, 5, 1 and 3 % less (Zen 5).
  void ask_for_next_line(int k) {
    Xbyak::Label all, in_row;
    if (k % kTurn != 0) {
      cmp(argument(offsetof(BandArguments, next_lines_a_turn)), k % 2 == 0 ? 2 : 3);
      jl(all);
    }
    mov(scratch, argument(offsetof(BandArguments, next_line)));
    cmp(scratch, argument(offsetof(BandArguments, next_lines_end)));
    jae(all);
    prefetcht1(ptr[scratch]);
    add(scratch, kLine);
    cmp(scratch, argument(offsetof(BandArguments, next_row_end)));
    jb(in_row);
    mov(scratch, argument(offsetof(BandArguments, next_row_end)));
    add(scratch, argument(offsetof(BandArguments, ld_next)));
    mov(argument(offsetof(BandArguments, next_row_end)), scratch);
    sub(scratch, argument(offsetof(BandArguments, next_row)));
    L(in_row);
    mov(argument(offsetof(BandArguments, next_line)), scratch);
    L(all);
  }

  // Starts at the last row, as the line of the first row also belongs to the tile above.
  void ask_for_a(const Xbyak::RegExp& step) {
    for (int at = (rows_ - 1) * row_a(); at >= 0; at -= kLine) prefetcht0(ptr[step + at]);
  }

  const BrgemmShape& shape_;
  const BrgemmHints& hints_;
  const int rows_, vecs_, lanes_, last_lanes_;
  const bool avx512_;
  const int vector_;  // bytes
  const bool a_from_memory_;
  const int all_registers_, registers_;  // registers_: without AVX2's mask of a tail
  const int sums_, shuffled_;
  const int first_free_;  // first register that holds no sum and no shuffled row
};

}  // namespace brickwork
