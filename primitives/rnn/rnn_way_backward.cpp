#include "rnn/rnn_way_backward.hpp"

#include <algorithm>

#include "league.hpp"
#include "machine_model.hpp"

namespace brickwork {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

// The share of L2 that a call's weights may fill. They, its rows of gates and the next call's weights stay there: of an
// LSTM's way back by data 5 % with 256 and with 1024 features, against twice as much (Zen 5, 1 MiB).
constexpr std::int64_t kShareOfL2OfWeights = 8;
constexpr std::int64_t kRowsOfDx = 168;
constexpr std::int64_t kTasksOfAThread = 4;
// Pixels, so to speak, of a call of an update: steps are taken together where there are few sequences.
constexpr std::int64_t kRowsOfUpdate = 256;
constexpr std::int64_t kFeaturesOfATask = 64;
// Behind each row of the gates' gradients, whose length is a power of two: a column's elements would meet in few sets
// of a cache. The weights' update takes 3 to 5 % less with it (Zen 5).
constexpr std::int64_t kLine = 16;

// Of a block of x, in equal parts that the brick's widest tile holds; a prime number of features stays whole.
std::int64_t part_of(std::int64_t block) {
  constexpr std::int64_t kFew = 16;
  for (std::int64_t part = std::min(block, kFeaturesOfATask); part >= kFew; --part) {
    if (block % part == 0) return part;
  }
  return block;
}

RnnSteps one_part(RnnSteps steps) {
  steps.parts = 1;
  return steps;
}

}  // namespace

RnnWayBackward::RnnWayBackward(const RnnWay& way)
    : shape_(way.shape()), plan_(way.plan()), gates_(way.columns()), Kb_(way.Kb()) {
  bd_ = plan_.bk;
  for (std::int64_t m = kFeaturesOfATask / plan_.bk; m > 1 && bd_ == plan_.bk; --m) {
    if (plan_.bh / plan_.bk % m == 0) bd_ = m * plan_.bk;
  }
  Db_ = ceil_div(Kb_, bd_ / plan_.bk);
  row_of_gates_ = static_cast<std::int64_t>(gates_.size()) * bd_;
  row_of_dgates_ = row_of_gates_ + kLine;
  const RnnSteps state = one_part(shape_.y);
  of_x_ = columns_of(shape_.x, part_of(shape_.x.block), [](const GateColumn& c) { return c.layer >= 0; });
  of_state_ = columns_of(state, bd_, [](const GateColumn& c) { return c.iter >= 0 && !c.of_reset; });
  of_reset_ = columns_of(way.reset_steps(), bd_, [](const GateColumn& c) { return c.of_reset; });
  const auto floats = [](std::int64_t size) { return AlignedBuffer<float>(static_cast<std::size_t>(size)); };
  const std::int64_t padded = state.blocks() * state.slot_size();
  dgates_ = floats(Db_ * shape_.T * state.N * row_of_dgates_);
  dhT_ = floats(padded);
  dh_ = floats(padded);
  if (of_reset_.count > 0) dreset_ = floats(padded);
  if (shape_.cell == RnnCell::lstm) {
    dcT_ = floats(Kb_ * state.N * plan_.bk);
    dc_ = floats(Kb_ * state.N * plan_.bk);
  }
  dbias_ = floats(Db_ * row_of_gates_);
  ones_ = floats(state.N);
  std::fill_n(ones_.data(), ones_.size(), 1.0F);
}

RnnWayBackward::Columns RnnWayBackward::columns_of(const RnnSteps& rows, std::int64_t block,
                                                   bool (*has)(const GateColumn&)) const {
  Columns c{.rows = rows, .block = block};
  const auto first = std::ranges::find_if(gates_, has);
  c.first = first - gates_.begin();
  c.count = std::find_if_not(first, gates_.end(), has) - first;
  if (c.count == 0) return c;
  const std::int64_t bytes = c.count * bd_ * block * static_cast<std::int64_t>(sizeof(float));
  c.together = clamp(this_machine(1).l2_bytes / kShareOfL2OfWeights / bytes, 1, Db_);
  const std::int64_t size = rows.blocks() * rows.block * Db_ * c.count * bd_;
  c.weights = AlignedBuffer<float>(static_cast<std::size_t>(size));
  c.gradient = AlignedBuffer<float>(static_cast<std::size_t>(size));
  return c;
}

Result<RnnWayBackward> RnnWayBackward::make(const RnnWay& way, Backend backend, Isa isa, const SimdTuning& tuning) {
  RnnWayBackward b(way);
  const std::int64_t N = b.shape_.y.N, T = b.shape_.T;
  std::string refused;
  Status status = Status::ok;
  const auto brick = [&](const BrgemmShape& shape, const BrgemmHints& hints) -> BrgemmKernelPtr {
    auto made = make_brgemm(shape, hints, backend, isa);
    if (made) return *std::move(made);
    status = made.status();
    refused = made.reason();
    return nullptr;
  };
  for (Columns* c : {&b.of_x_, &b.of_state_, &b.of_reset_}) {
    if (c->count == 0) continue;
    const std::int64_t n = c->count * b.bd_;
    c->product =
        brick({.m = static_cast<int>(c == &b.of_x_ ? std::min(kRowsOfDx, T * N) : b.plan_.bn),
               .n = static_cast<int>(c->block),
               .k = static_cast<int>(n),
               .lda = b.row_of_dgates_,
               .ldb = c->block,
               .ldc = c == &b.of_x_ ? c->rows.block : c->block,
               .beta = 1,
               .stride_a = T * N * b.row_of_dgates_,
               .stride_b = n * c->block},
              {.c = CAccess::prefetch, .calls_say_what_is_read_next = true, .in_parts = true, .tuning = tuning});
    for (const int beta : {0, 1}) {
      (beta == 0 ? c->first_update : c->update) = brick({.m = static_cast<int>(c->rows.block),
                                                         .n = static_cast<int>(n),
                                                         .k = static_cast<int>(N),
                                                         .lda = c->rows.block,
                                                         .ldb = b.row_of_dgates_,
                                                         .ldc = n,
                                                         .a_transposed = true,
                                                         .beta = beta,
                                                         .stride_a = N * c->rows.block,
                                                         .stride_b = N * b.row_of_dgates_},
                                                        {.in_parts = true, .tuning = tuning});
    }
  }
  b.bias_brick_ = brick({.m = 1,
                         .n = static_cast<int>(b.row_of_gates_),
                         .k = static_cast<int>(N),
                         .lda = N,
                         .ldb = b.row_of_dgates_,
                         .ldc = b.row_of_gates_,
                         .stride_b = N * b.row_of_dgates_},
                        {.tuning = tuning});
  if (status != Status::ok) return {status, refused};
  return b;
}

// Element (feature, gate, k) of the plain weights [features][G][K] goes to row k of its column, column feature.
template <class GateOf>
void RnnWayBackward::pack(Columns& c, const float* weights, const GateOf& gate_of) const {
  const std::int64_t K = shape_.y.size, G = std::ranges::count_if(gates_, [](auto&g) { return g.layer >= 0; });
  const std::int64_t blocks = c.rows.blocks() * c.rows.block / c.block;
  std::fill_n(c.weights.data(), c.weights.size(), 0.0F);
  const auto task = [&](const auto&, std::int64_t block, void*) {
    float* const to = c.weights.data() + block * Db_ * c.count * bd_ * c.block;
    for (std::int64_t f = 0; f < c.block; ++f) {
      const std::int64_t padded = block * c.block + f, in_part = c.rows.blocks_of_part() * c.rows.block;
      const std::int64_t part = padded / in_part, feature = padded % in_part;
      if (feature >= c.rows.size) continue;
      for (std::int64_t column = 0; column < c.count; ++column) {
        const auto gate = gate_of(gates_[static_cast<std::size_t>(c.first + column)]);
        const float* const from = weights + ((part * c.rows.size + feature) * G + gate) * K;
        for (std::int64_t k = 0; k < K; ++k) {
          const std::int64_t row = (k / bd_ * c.count + column) * bd_ + k % bd_;
          to[row * c.block + f] = from[k];
        }
      }
    }
  };
  parallel_league(Space(), blocks, 1, 0, task);
}

template <class GateOf>
void RnnWayBackward::unpack(const Columns& c, float* gradient, const GateOf& gate_of) const {
  const std::int64_t K = shape_.y.size, G = std::ranges::count_if(gates_, [](auto&g) { return g.layer >= 0; });
  for (std::int64_t part = 0; part < c.rows.parts; ++part) {
    for (std::int64_t f = 0; f < c.rows.size; ++f) {
      const std::int64_t block = part * c.rows.blocks_of_part() + f / c.rows.block;
      for (std::int64_t column = 0; column < c.count; ++column) {
        const auto gate = gate_of(gates_[static_cast<std::size_t>(c.first + column)]);
        float* const to = gradient + ((part * c.rows.size + f) * G + gate) * K;
        for (std::int64_t k = 0; k < K; ++k) {
          const std::int64_t row = (k / bd_ * c.rows.blocks() + block) * c.rows.block + f % c.rows.block;
          to[k] = c.gradient.data()[(row * c.count + column) * bd_ + k % bd_];
        }
      }
    }
  }
}

void RnnWayBackward::set_weights(const float* layer, const float* iter) {
  const auto iter_of = [](const GateColumn& c) { return c.iter; };
  pack(of_x_, layer, [](const GateColumn& c) { return c.layer; });
  pack(of_state_, iter, iter_of);
  if (of_reset_.count > 0) pack(of_reset_, iter, iter_of);
}

float* RnnWayBackward::dh_at(std::int64_t feature, std::int64_t n, AlignedBuffer<float>& dh) const {
  return dh.data() + (feature / bd_ * shape_.y.N + n) * bd_ + feature % bd_;
}

void RnnWayBackward::set_states(const float* dhT, const float* dcT) {
  const std::int64_t N = shape_.y.N, K = shape_.y.size;
  for (std::int64_t n = 0; n < N; ++n)
    for (std::int64_t k = 0; k < K; ++k) {
      *dh_at(k, n, dhT_) = dhT[n * K + k];
      if (dcT_.size() > 0) dcT_.data()[(k / plan_.bk * N + n) * plan_.bk + k % plan_.bk] = dcT[n * K + k];
    }
}

void RnnWayBackward::get_states(float* dh0, float* dc0) const {
  const std::int64_t N = shape_.y.N, K = shape_.y.size;
  for (std::int64_t n = 0; n < N; ++n)
    for (std::int64_t k = 0; k < K; ++k) {
      dh0[n * K + k] = dh_.data()[(k / bd_ * N + n) * bd_ + k % bd_];
      if (dc_.size() > 0) dc0[n * K + k] = dc_.data()[(k / plan_.bk * N + n) * plan_.bk + k % plan_.bk];
    }
}

void RnnWayBackward::get_gradients(float* layer, float* iter, float* bias) const {
  const auto iter_of = [](const GateColumn& c) { return c.iter; };
  unpack(of_x_, layer, [](const GateColumn& c) { return c.layer; });
  unpack(of_state_, iter, iter_of);
  if (of_reset_.count > 0) unpack(of_reset_, iter, iter_of);
  const std::int64_t K = shape_.y.size;
  for (std::int64_t k = 0; k < K; ++k)
    for (std::size_t c = 0; c < gates_.size(); ++c)
      bias[gates_[c].bias * K + k] =
          dbias_.data()[k / bd_ * row_of_gates_ + static_cast<std::int64_t>(c) * bd_ + k % bd_];
}

template <class To>
void RnnWayBackward::multiply(const Columns& c, Blocks blocks, std::int64_t row, std::int64_t rows,
                              const To& to) const {
  const BrgemmShape& shape = c.product->shape();
  const std::int64_t bytes = shape.stride_b * static_cast<std::int64_t>(sizeof(float)), together = c.together;
  const auto weights = [&](std::int64_t block, std::int64_t db) {
    return c.weights.data() + (block * Db_ + db % Db_) * shape.stride_b;
  };
  for (std::int64_t db = 0; db < Db_; db += together) {
    for (std::int64_t block = blocks.begin; block < blocks.end; ++block) {
      const bool last = block + 1 == blocks.end;
      (*c.product)({.batch = strided_batch(shape, dgates_at(db, row) + c.first * bd_, weights(block, db),
                                           std::min(together, Db_ - db)),
                    .c = to(block),
                    .rows = static_cast<int>(rows),
                    .next_a = last && db + together < Db_ ? together * shape.stride_a : 0,
                    .read_next = last ? weights(blocks.begin, db + together) : weights(block + 1, db),
                    .read_next_bytes = together * bytes});
    }
  }
}

RnnBackwardRows RnnWayBackward::rows_at(const RnnWay& way, std::int64_t step, const float* states, const float* dstates,
                                        const std::int32_t* lengths, std::int64_t kb, std::int64_t n) {
  const std::int64_t t = time_of(step), feature = kb * plan_.bk, slot = shape_.y.slot_size();
  const std::int64_t h = feature / plan_.bh * shape_.y.block_size() + n * plan_.bh + feature % plan_.bh;
  const bool has_c = dc_.size() > 0;
  return {.rows = std::min(plan_.bn, shape_.y.N - n),
          .bk = plan_.bk,
          .gates = way.gates_at(kb, t * shape_.y.N + n),
          .dgates = dgates_.data() + (feature / bd_ * shape_.T * shape_.y.N + t * shape_.y.N + n) * row_of_dgates_ +
                    feature % bd_,
          .row_of_dgates = row_of_dgates_,
          .column_of_dgates = bd_,
          .h_before = states + (slot_before_first() + t) * slot + h,
          .h_after = states + (1 + t) * slot + h,
          .dy = dstates + (1 + t) * slot + h,
          .ldh = plan_.bh,
          .dh = dh_at(feature, n, dh_),
          .dreset = dreset_.size() > 0 ? dh_at(feature, n, dreset_) : nullptr,
          .lddh = bd_,
          .c_before = has_c ? way.c_at(kb, step) + n * plan_.bk : nullptr,
          .c_after = has_c ? way.c_at(kb, step + 1) + n * plan_.bk : nullptr,
          .dc = has_c ? dc_.data() + (kb * shape_.y.N + n) * plan_.bk : nullptr,
          .lengths = lengths == nullptr ? nullptr : lengths + n,
          .step = static_cast<std::int32_t>(t)};
}

void RnnWayBackward::run_data(const RnnWay& way, const float* y, const float* dy, const std::int32_t* lengths) {
  const std::int64_t N = shape_.y.N, Nb = ceil_div(N, plan_.bn), threads = Space().concurrency();
  const std::int64_t part = shape_.part * shape_.y.blocks_of_part() * shape_.y.block_size();
  const std::int64_t kbs = bd_ / plan_.bk, tasks = Nb * Db_;
  std::copy_n(dhT_.data(), dhT_.size(), dh_.data());
  std::copy_n(dcT_.data(), dcT_.size(), dc_.data());
  const auto all_steps = [&](const auto& team, std::int64_t, void*) {
    const std::int64_t thread = team.rank(), begin = tasks * thread / threads, end = tasks * (thread + 1) / threads;
    // task(the thread's blocks of features, n, rows) for each block of sequences.
    const auto for_each_task = [&](const auto& task) {
      for (std::int64_t i = begin, next; i < end; i = next) {
        next = std::min(end, (i / Db_ + 1) * Db_);
        const std::int64_t n = i / Db_ * plan_.bn;
        task(Blocks{i % Db_, i % Db_ + next - i}, n, std::min(plan_.bn, N - n));
      }
      team.barrier();
    };
    const auto for_each_rows = [&](std::int64_t step, Blocks blocks, std::int64_t n, const auto& rows) {
      for (std::int64_t kb = blocks.begin * kbs; kb < std::min(Kb_, blocks.end * kbs); ++kb) {
        rows(shape_.cell, rows_at(way, step, y + part, dy + part, lengths, kb, n));
      }
    };
    for (std::int64_t step = shape_.T - 1; step >= -1; --step) {
      for_each_task([&](Blocks blocks, std::int64_t n, std::int64_t rows) {
        if (step + 1 < shape_.T) {
          multiply(of_state_, blocks, time_of(step + 1) * N + n, rows,
                   [&](std::int64_t block) { return dh_at(block * bd_, n, dh_); });
        }
        if (step >= 0) for_each_rows(step, blocks, n, rnn_backward_rows);
      });
      if (step < 0 || of_reset_.count == 0) continue;
      for_each_task([&](Blocks blocks, std::int64_t n, std::int64_t rows) {
        const auto dreset = [&](std::int64_t block) { return dh_at(block * bd_, n, dreset_); };
        for (std::int64_t b = blocks.begin; b < blocks.end; ++b) std::fill_n(dreset(b), rows * bd_, 0.0F);
        multiply(of_reset_, blocks, time_of(step) * N + n, rows, dreset);
        for_each_rows(step, blocks, n, finish_rnn_backward_rows);
      });
    }
  };
  parallel_league(Space(), 1, static_cast<int>(threads), 0, all_steps);
}

void RnnWayBackward::run_x(float* dx, bool accumulate) const {
  const RnnSteps& x = shape_.x;
  const std::int64_t part = of_x_.block, parts = x.block / part, blocks = x.blocks() * parts;
  // Where there are few groups of rows, threads share the blocks of features.
  const std::int64_t all = shape_.T * x.N, of_group = of_x_.product->shape().m, groups = ceil_div(all, of_group);
  const std::int64_t shares = clamp(ceil_div(kTasksOfAThread * Space().concurrency(), groups), 1, blocks);
  const auto task = [&](const auto&, std::int64_t i, void*) {
    const std::int64_t row = i / shares * of_group, rows = std::min(of_group, all - row), share = i % shares;
    const Blocks of_share{blocks * share / shares, blocks * (share + 1) / shares};
    const auto to = [&](std::int64_t block) {
      return dx + block / parts * x.block_size() + shape_.first * x.slot_size() + row * x.block + block % parts * part;
    };
    for (std::int64_t b = of_share.begin; b < of_share.end && !accumulate; ++b)
      for (std::int64_t r = 0; r < rows; ++r) std::fill_n(to(b) + r * x.block, part, 0.0F);
    multiply(of_x_, of_share, row, rows, to);
  };
  parallel_league(Space(), groups * shares, 1, 0, task);
}

void RnnWayBackward::update(Columns& c, std::int64_t db, std::int64_t block, const float* rows) const {
  const std::int64_t N = shape_.y.N, steps = clamp(kRowsOfUpdate / N, 1, shape_.T), n = c.count * bd_;
  float* const gradient = c.gradient.data() + (db * c.rows.blocks() + block) * c.rows.block * n;
  for (std::int64_t t = 0; t < shape_.T; t += steps) {
    const BrgemmKernel& brick = t == 0 ? *c.first_update : *c.update;
    brick({.batch = strided_batch(brick.shape(), rows + block * c.rows.block_size() + t * c.rows.slot_size(),
                                  dgates_at(db, t * N) + c.first * bd_, std::min(steps, shape_.T - t)),
           .c = gradient,
           .next_a = steps * c.rows.slot_size()});
  }
}

void RnnWayBackward::run_update(const RnnWay& way, const float* x, const float* y) {
  const std::int64_t slot = shape_.y.slot_size();
  const float* const states =
      y + shape_.part * shape_.y.blocks_of_part() * shape_.y.block_size() + slot_before_first() * slot;
  // A task's gradients stay in L2 while all steps add to them.
  const std::int64_t of_x = of_x_.rows.blocks(), of_state = of_state_.rows.blocks();
  const std::int64_t of_reset = of_reset_.count > 0 ? of_reset_.rows.blocks() : 0;
  const std::int64_t tasks = of_x + of_state + of_reset + 1;
  const auto task = [&](const auto&, std::int64_t i, void*) {
    const std::int64_t db = i / tasks;
    std::int64_t block = i % tasks;
    if (block < of_x) return update(of_x_, db, block, x + shape_.first * shape_.x.slot_size());
    block -= of_x;
    if (block < of_state) return update(of_state_, db, block, states);
    block -= of_state;
    if (block < of_reset) return update(of_reset_, db, block, way.reset());
    (*bias_brick_)({.batch = strided_batch(bias_brick_->shape(), ones_.data(), dgates_at(db, 0), shape_.T),
                    .c = dbias_.data() + db * row_of_gates_});
  };
  parallel_league(Space(), Db_ * tasks, 1, 0, task);
}

}  // namespace brickwork
