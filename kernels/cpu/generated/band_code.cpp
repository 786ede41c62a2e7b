#include "kernels/cpu/generated/band_code.hpp"

#ifdef BRICKWORK_HAS_XBYAK
#include "kernels/cpu/generated/band_assembler.hpp"

namespace brickwork {
namespace {

// Generates one band: tiles of one size. Loops in a tile: members of the batch, steps over k, rows.
class BandGenerator : public BandAssembler {
 public:
  BandGenerator(const BrgemmShape& shape, const BrgemmHints& hints, TileSize size) : BandAssembler(shape, hints, size) {
    generate();
    ready(PROTECT_RE);
  }

 private:
  void generate() {
    for (const Reg& r : saved) push(r);
    find_tail();
    mov(tile_a, argument(offsetof(BandArguments, a)));
    mov(base_b, argument(offsetof(BandArguments, b)));
    mov(tile_c, argument(offsetof(BandArguments, c)));
    mov(tiles, argument(offsetof(BandArguments, tiles)));
    if (hints_.zero_rows.period != 0) mov(live, argument(offsetof(BandArguments, live)));
    Xbyak::Label tile;
    L(tile);
    add_members();
    finish();
    add(tile_a, rows_ * row_a());
    add(tile_c, rows_ * row_c());
    if (hints_.zero_rows.period != 0) add(live, hints_.zero_rows.period);
    if (asks_for_b()) {
      mov(scratch, argument(offsetof(BandArguments, others_ask_for_b)));
      mov(argument(offsetof(BandArguments, first_asks_for_b)), scratch);
    }
    dec(tiles);
    jnz(tile, T_NEAR);
    vzeroupper();
    for (auto r = saved.rbegin(); r != saved.rend(); ++r) pop(*r);
    ret();
  }

  void add_members() {
    for (int i = 0; i < sums_ * rows_ * vecs_; ++i) set_to_zero(vec(i));
    const bool strided = shape_.batch_kind == BatchKind::strides;
    if (strided) {
      mov(next_a, tile_a);
      mov(next_b, base_b);
    } else {
      mov(next_a, argument(offsetof(BandArguments, offsets_a)));
      mov(next_b, argument(offsetof(BandArguments, offsets_b)));
    }
    if (hints_.zero_rows.period != 0) xor_(place, place);
    if (asks_for_c()) mov(below_c, rows_ * row_c());
    Xbyak::Label member, next, end;
    mov(members, argument(offsetof(BandArguments, members)));
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
    cmp(argument(offsetof(BandArguments, live)), 0);
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

  void add_member(int first, int end) {
    Xbyak::Label known, without, done;
    if (!shape_.a_transposed) {
      mov(scratch, argument(offsetof(BandArguments, next_a)));
      test(scratch, scratch);
      jz(known, T_NEAR);
      ask_for_next_a(first, end);
      L(known);
    } else if (asks_for_a()) {
      find_next_member();
    }
    if (asks_for_b()) {
      cmp(argument(offsetof(BandArguments, first_asks_for_b)), 0);
      je(without, T_NEAR);
      add_steps(first, end, true);
      jmp(done, T_NEAR);
      L(without);
    }
    add_steps(first, end, asks_for_a() && !asks_for_b());
    L(done);
  }

  void add_steps(int first, int end, bool asks) {
    constexpr int kStepsOfAnAsk = 8;
    const bool all_at_once = shape_.k * rows_ * vecs_ <= fmas_unrolled(lanes_);
    const int turn = all_at_once ? shape_.k : std::max(kTurn, sums_), whole = shape_.k / turn;
    const bool asks_a = asks && asks_for_a();
    // How far ahead to prefetch, in steps and in turns of the loop.
    const int ahead = std::min(static_cast<int>(hints_.tuning.ahead), shape_.k),
              turns_ahead = std::min((ahead + turn - 1) / turn, whole);
    Xbyak::Label again;
    if (whole > 1) {
      if (asks_a) lea(ask_a, ptr[a + turns_ahead * turn * step_a()]);
      mov(turns, whole);
      L(again);
      if (asks_a) {
        cmp(turns, turns_ahead);
        cmove(ask_a, ask_next);
      }
    }
    for (int k = 0; k < turn && whole > 0; ++k) {
      if (hints_.reads_next) ask_for_next_line(k);
      if (asks_for_c() && k % kStepsOfAnAsk == 0) ask_for_c();
      if (asks_a) {
        const int asked = k + ahead;
        ask_for_a(whole > 1          ? ask_a + k * step_a()
                  : asked < shape_.k ? a + asked * step_a()
                                     : ask_next + (asked - shape_.k) * step_a());
      }
      add_step(k, first, end, asks, k / 4 < turn / 4 ? shuffled_ : 0);
    }
    if (whole > 1 && asks_a) add(ask_a, turn * step_a());
    if (whole > 1 || (whole > 0 && shape_.k % turn != 0)) {
      add(a, turn * step_a());
      add(b, turn * row_b());
    }
    if (whole > 1) {
      dec(turns);
      jnz(again, T_NEAR);
    }
    for (int k = 0; k < shape_.k % turn; ++k) add_step(k, first, end, false, 0);
  }

  // Holds as many vectors of a row of B as fit beside one element of A. If not all of them fit but a column of A does,
  // holds that column beside one vector of B.
  void add_step(int k, int first, int end, bool asks, int shuffled) {
    const int room = registers_ - first_free_;
    if (vecs_ >= room && rows_ < room && shuffled == 0) {
      add_step_holding_a(k, first, end, asks && asks_for_b());
      return;
    }
    const EqualSpans parts(vecs_, room - 1);
    for (int r = first; k % 4 == 0 && r < std::min(end, shuffled); ++r) {
      const auto from = ptr[a + r * row_a() + k * step_a()];
      avx512_ ? vbroadcastf32x4(quad(r), from) : vbroadcastf128(quad(r), from);
    }
    const int asked_together = asks && asks_for_b() ? (lines() + rows_ - 1) / rows_ : 0;
    int asked = 0;
    for (int part = 0; part < parts.count; ++part) {
      const Span columns = parts[part];
      const auto of_b = [&](int v) { return vec(first_free_ + v - columns.begin); };
      for (int v = columns.begin; v < columns.end(); ++v) load(of_b(v), b + k * row_b(), v);
      const int elements = room - columns.size;
      for (int r = first; r < end; ++r) {
        for (int i = 0; i < asked_together && asked < lines(); ++i) ask_for_b(k, asked++);
        const auto from = a + r * row_a() + k * step_a();
        if (a_from_memory_) {
          vfmadd231ps(sum(k % sums_, r, 0), of_b(0), ptr_b[from]);
          continue;
        }
        const Vec element = vec(first_free_ + columns.size + r % elements);
        if (r < shuffled) {
          vpermilps(element, quad(r), k % 4 * 0b01010101);
        } else {
          vbroadcastss(element, ptr[from]);
        }
        for (int v = columns.begin; v < columns.end(); ++v) vfmadd231ps(sum(k % sums_, r, v), of_b(v), element);
      }
    }
  }

  void add_step_holding_a(int k, int first, int end, bool asks_b) {
    const auto of_a = [&](int r) { return vec(first_free_ + r); };
    const Vec of_b = vec(first_free_ + rows_);
    for (int r = first; r < end; ++r) vbroadcastss(of_a(r), ptr[a + r * row_a() + k * step_a()]);
    for (int v = 0; v < vecs_; ++v) {
      if (asks_b && v * vector_ % kLine == 0) ask_for_b(k, v * vector_ / kLine);
      load(of_b, b + k * row_b(), v);
      for (int r = first; r < end; ++r) vfmadd231ps(sum(k % sums_, r, v), of_b, of_a(r));
    }
  }

  void finish() {
    for (int s = 1; s < sums_; ++s) {
      for (int i = 0; i < rows_ * vecs_; ++i) vaddps(vec(i), vec(i), vec(s * rows_ * vecs_ + i));
    }
    if (shape_.beta != 0) {
      for (int r = 0; r < rows_; ++r) {
        for (int v = 0; v < vecs_; ++v) add_to(sum(0, r, v), tile_c + r * row_c(), v);
      }
    }
    add_bias();
    each_beside(offsetof(BandArguments, residual), offsetof(BandArguments, ldr),
                [&](int r, int v) { add_to(sum(0, r, v), scratch, v); });
    apply_relu();
    apply_derivative_of_relu();
    store_tile();
  }

  void add_bias() {
    Xbyak::Label none;
    mov(scratch, argument(offsetof(BandArguments, bias)));
    test(scratch, scratch);
    jz(none, T_NEAR);
    for (int v = 0; v < vecs_; ++v) {
      load(high(0), scratch, v);
      for (int r = 0; r < rows_; ++r) vaddps(sum(0, r, v), sum(0, r, v), high(0));
    }
    L(none);
  }

  // Calls use(r, v) for all vectors of the tile if the call has the tensor (the residual or `at`); `scratch` points to
  // its row r.
  template <class Use>
  void each_beside(std::size_t tensor, std::size_t leading_dimension, Use&& use) {
    Xbyak::Label none;
    mov(scratch, argument(tensor));
    test(scratch, scratch);
    jz(none, T_NEAR);
    mov(ld, argument(leading_dimension));
    for (int r = 0; r < rows_; ++r) {
      for (int v = 0; v < vecs_; ++v) use(r, v);
      add(scratch, ld);
    }
    mov(argument(tensor), scratch);
    L(none);
  }

  // vmaxps returns its second source if one of the two is a NaN, so a NaN in the sum stays.
  void apply_relu() {
    Xbyak::Label none;
    mov(scratch, argument(offsetof(BandArguments, relu)));
    test(scratch, scratch);
    jz(none, T_NEAR);
    set_to_zero(high(0));
    for (int i = 0; i < rows_ * vecs_; ++i) vmaxps(vec(i), high(0), vec(i));
    L(none);
  }

  // Keeps a sum unless 0 >= `at`; so a sum beside a NaN is kept.
  void apply_derivative_of_relu() {
    constexpr int kNotGreaterOrEqual = 0x19;
    set_to_zero(high(0));
    each_beside(offsetof(BandArguments, relu_at), offsetof(BandArguments, ldat), [&](int r, int v) {
      if (avx512_) {
        vcmpps(is_tail(v) ? kept | tail : kept, high(0), ptr[scratch + v * vector_], kNotGreaterOrEqual);
        vmovaps(sum(0, r, v) | kept | T_z, sum(0, r, v));
      } else {
        load(high(1), scratch, v);
        vcmpps(high(1), high(0), high(1), kNotGreaterOrEqual);
        vandps(sum(0, r, v), sum(0, r, v), high(1));
      }
    });
  }

  void store_tile() {
    Xbyak::Label cached, done;
    if (hints_.c == CAccess::stream) {
      mov(scratch, argument(offsetof(BandArguments, stream)));
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
      for (int v = 0; v < vecs_; ++v) store(tile_c + r * row_c(), sum(0, r, v), v, stream);
    }
  }
};

}  // namespace

BandCode generate_band(const BrgemmShape& shape, const BrgemmHints& hints, TileSize size) {
  const auto code = std::make_shared<const BandGenerator>(shape, hints, size);
  return {code, code->getCode<BandCode::Run>()};
}

}  // namespace brickwork
#endif
