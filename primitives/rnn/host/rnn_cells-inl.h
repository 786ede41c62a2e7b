// The cells' steps, forward and backward, for a vector of features of one row; each cell is a small policy. Included
// into the namespace of each instruction set (rnn_rows.cpp), and into that of a device's threads, where a vector is a
// single number (rnn_on_device.hpp). That namespace has V and its arithmetic; BRICKWORK_CELL marks a function.

// One vector of a row: the offsets of its gates, which are bk apart, and of its features in h and in c.
struct RnnGatesAt {
  const RnnRows& r;
  std::int64_t gates, h, c;

  BRICKWORK_CELL RnnGatesAt(const RnnRows& rows, int columns, std::int64_t n, std::int64_t j)
      : r(rows), gates(n * columns * rows.bk + j), h(n * rows.ldh + j), c(n * rows.bk + j) {}

  BRICKWORK_CELL V gate(int column) const { return load(r.gates + gates + column * r.bk); }
  BRICKWORK_CELL void put(V value, int column) const { store(value, r.gates + gates + column * r.bk); }
  BRICKWORK_CELL void keep(V value, int column) const {
    store_kept(value, r.kept + gates + column * r.bk, r.kept != r.gates);
  }
  BRICKWORK_CELL V h_before() const { return load(r.h_before + h); }
  BRICKWORK_CELL V c_before() const { return load(r.c_before + c); }
  BRICKWORK_CELL float* h_after() const { return r.h_after + h; }
  BRICKWORK_CELL float* c_after() const { return r.c_after + c; }
  BRICKWORK_CELL float* reset() const { return r.reset + h; }

  // For a sequence that has ended. The reset state is cleared, because values of an earlier run would meet gradients of
  // 0 in the weight update, and 0 * NaN is NaN.
  BRICKWORK_CELL void stay(int) const {
    store(h_before(), h_after());
    if (r.c_before != nullptr) store(c_before(), c_after());
    if (r.reset != nullptr) store(set(0.0F), reset());
  }
};

// One vector of a row in the backward pass, with its offsets in the gradients.
struct RnnGradientsAt {
  const RnnBackwardRows& r;
  std::int64_t gates, dgates, h, h_gradient, c;

  BRICKWORK_CELL RnnGradientsAt(const RnnBackwardRows& rows, int columns, std::int64_t n, std::int64_t j)
      : r(rows),
        gates(n * columns * rows.bk + j),
        dgates(n * rows.row_of_dgates + j),
        h(n * rows.ldh + j),
        h_gradient(n * rows.bd + j),
        c(n * rows.bk + j) {}

  BRICKWORK_CELL V gate(int column) const { return load(r.gates + gates + column * r.bk); }
  BRICKWORK_CELL void put(V value, int column) const { store(value, r.dgates + dgates + column * r.bd); }
  BRICKWORK_CELL V h_before() const { return load(r.h_before + h); }
  BRICKWORK_CELL V h_after() const { return load(r.h_after + h); }
  BRICKWORK_CELL V c_before() const { return load(r.c_before + c); }
  BRICKWORK_CELL V c_after() const { return load(r.c_after + c); }
  BRICKWORK_CELL V product() const {
    V sum = set(0.0F);
    const float* from = r.products + h_gradient;
    for (int left = r.shares; left > 0; --left, from += r.size_of_share) sum = add(sum, load(from));
    return sum;
  }
  BRICKWORK_CELL V dh_behind() const { return add(load(r.dh_behind + h_gradient), product()); }
  BRICKWORK_CELL V whole_dh() const { return add(dh_behind(), load(r.dy + h)); }
  BRICKWORK_CELL V dc_behind() const { return load(r.dc_behind + c); }
  BRICKWORK_CELL float* dh() const { return r.dh + h_gradient; }
  BRICKWORK_CELL float* dc() const { return r.dc + c; }

  // Gradients pass unchanged through a sequence that has ended, and its gates get 0. A GRU does this in its first half.
  BRICKWORK_CELL void stay(int columns) const {
    if (r.dh_behind == nullptr) return;
    store(dh_behind(), dh());
    if (r.dc != nullptr) store(dc_behind(), dc());
    if (r.step < 0) return;
    for (int column = 0; column < columns; ++column) put(set(0.0F), column);
  }
};

BRICKWORK_CELL RnnGatesAt vector_at(const RnnRows& r, int columns, std::int64_t n, std::int64_t j) {
  return {r, columns, n, j};
}
BRICKWORK_CELL RnnGradientsAt vector_at(const RnnBackwardRows& r, int columns, std::int64_t n, std::int64_t j) {
  return {r, columns, n, j};
}

// Forward policies. An LSTM takes two turns over a row: a vector that waits for its own gates would keep later vectors
// from the processor. This takes 0.9 of the time of an LSTM in one turn.

struct LstmGates {
  BRICKWORK_CELL void operator()(const RnnGatesAt& at) const {
    const V i = sigmoid(at.gate(0)), f = sigmoid(at.gate(1)), g = tanh(at.gate(2)), o = sigmoid(at.gate(3));
    store(mul_add(f, at.c_before(), mul(i, g)), at.c_after());
    store(o, at.h_after());
    if (at.r.kept == nullptr) return;
    at.keep(i, 0);
    at.keep(f, 1);
    at.keep(g, 2);
    at.keep(o, 3);
  }
};
struct LstmState {
  BRICKWORK_CELL void operator()(const RnnGatesAt& at) const {
    store(mul(load(at.h_after()), tanh(load(at.c_after()))), at.h_after());
  }
};

// u h + (1 - u) o
BRICKWORK_CELL V mixed(V u, V h, V o) { return mul_add(u, sub(h, o), o); }

struct GruGates {
  BRICKWORK_CELL void operator()(const RnnGatesAt& at) const {
    const V reset = sigmoid(at.gate(1));
    store(mul(reset, at.h_before()), at.reset());
    at.put(sigmoid(at.gate(0)), 0);
    if (at.r.kept != nullptr) at.keep(reset, 1);
  }
};
struct GruState {
  BRICKWORK_CELL void operator()(const RnnGatesAt& at) const {
    const V o = tanh(at.gate(2));
    store(mixed(at.gate(0), at.h_before(), o), at.h_after());
    if (at.r.kept != nullptr) at.keep(o, 2);
  }
};

struct LbrGruState {
  BRICKWORK_CELL void operator()(const RnnGatesAt& at) const {
    const V u = sigmoid(at.gate(1)), reset = sigmoid(at.gate(2)), o = tanh(mul_add(reset, at.gate(3), at.gate(0)));
    store(mixed(u, at.h_before(), o), at.h_after());
    if (at.r.kept == nullptr) return;
    at.keep(o, 0);
    at.keep(u, 1);
    at.keep(reset, 2);
    at.keep(at.gate(3), 3);
  }
};

// Plain cells need not keep gates: backward reads their h.
struct TanhState {
  BRICKWORK_CELL void operator()(const RnnGatesAt& at) const { store(tanh(at.gate(0)), at.h_after()); }
};
struct ReluState {
  BRICKWORK_CELL void operator()(const RnnGatesAt& at) const { store(not_negative(at.gate(0)), at.h_after()); }
};

// each(columns, policy) for the turns of a half of a step.
template <class Each>
BRICKWORK_CELL void for_each_turn(const RnnRows&, RnnCell cell, RnnHalf half, const Each& each) {
  switch (cell) {
    case RnnCell::lstm:
      each(4, LstmGates());
      return each(4, LstmState());
    case RnnCell::gru:
      return half == RnnHalf::first ? each(3, GruGates()) : each(3, GruState());
    case RnnCell::lbr_gru:
      return each(4, LbrGruState());
    case RnnCell::rnn_tanh:
      return each(1, TanhState());
    case RnnCell::rnn_relu:
      return each(1, ReluState());
  }
}

// Backward policies. The derivatives of sigmoid and tanh are y (1 - y) and 1 - y^2, where y is their value. A gradient
// is multiplied by the derivative before it is multiplied by a state, which may be of any size: a saturated gate gives
// 0, not infinity.
BRICKWORK_CELL V sigmoid_slope(V y) { return sub_mul(y, y, y); }
BRICKWORK_CELL V tanh_slope(V y) { return sub_mul(set(1.0F), y, y); }

struct LstmBackward {
  BRICKWORK_CELL void operator()(const RnnGradientsAt& at) const {
    const V i = at.gate(0), f = at.gate(1), g = at.gate(2), o = at.gate(3);
    const V dh = at.whole_dh(), tanh_c = tanh(at.c_after());
    const V dc = mul_add(mul(dh, o), tanh_slope(tanh_c), at.dc_behind());
    at.put(mul(mul(dc, g), sigmoid_slope(i)), 0);
    at.put(mul(mul(dc, sigmoid_slope(f)), at.c_before()), 1);
    at.put(mul(mul(dc, i), tanh_slope(g)), 2);
    at.put(mul(mul(dh, tanh_c), sigmoid_slope(o)), 3);
    store(mul(dc, f), at.dc());
    store(set(0.0F), at.dh());
  }
};

// The gradients of u h + (1 - u) o.
struct MixGradients {
  V du, d_o;
};
BRICKWORK_CELL MixGradients mix_backward(const RnnGradientsAt& at, V u, V o) {
  const V dh = at.whole_dh();
  store(mul(dh, u), at.dh());
  return {mul(mul(dh, sigmoid_slope(u)), sub(at.h_before(), o)), mul(mul(dh, sub(set(1.0F), u)), tanh_slope(o))};
}

struct GruBackward {
  BRICKWORK_CELL void operator()(const RnnGradientsAt& at) const {
    const MixGradients d = mix_backward(at, at.gate(0), at.gate(2));
    at.put(d.du, 0);
    at.put(d.d_o, 2);
  }
};
struct GruResetBackward {
  BRICKWORK_CELL void operator()(const RnnGradientsAt& at) const {
    const V reset = at.gate(1), d = at.product();
    store(mul_add(d, reset, load(at.dh())), at.dh());
    at.put(mul(mul(d, sigmoid_slope(reset)), at.h_before()), 1);
  }
};

struct LbrGruBackward {
  BRICKWORK_CELL void operator()(const RnnGradientsAt& at) const {
    const V reset = at.gate(2);
    const MixGradients d = mix_backward(at, at.gate(1), at.gate(0));
    at.put(d.d_o, 0);
    at.put(d.du, 1);
    at.put(mul(mul(d.d_o, sigmoid_slope(reset)), at.gate(3)), 2);
    at.put(mul(d.d_o, reset), 3);
  }
};

struct TanhBackward {
  BRICKWORK_CELL void operator()(const RnnGradientsAt& at) const {
    at.put(mul(at.whole_dh(), tanh_slope(at.h_after())), 0);
    store(set(0.0F), at.dh());
  }
};
struct ReluBackward {
  BRICKWORK_CELL void operator()(const RnnGradientsAt& at) const {
    at.put(where_positive(at.h_after(), at.whole_dh()), 0);
    store(set(0.0F), at.dh());
  }
};

template <class Each>
BRICKWORK_CELL void for_each_turn(const RnnBackwardRows&, RnnCell cell, RnnHalf half, const Each& each) {
  switch (cell) {
    case RnnCell::lstm:
      return each(4, LstmBackward());
    case RnnCell::gru:
      return half == RnnHalf::first ? each(3, GruBackward()) : each(3, GruResetBackward());
    case RnnCell::lbr_gru:
      return each(4, LbrGruBackward());
    case RnnCell::rnn_tanh:
      return each(1, TanhBackward());
    case RnnCell::rnn_relu:
      return each(1, ReluBackward());
  }
}
