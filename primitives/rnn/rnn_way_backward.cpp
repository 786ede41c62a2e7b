#include "rnn/rnn_way_backward.hpp"

#include <algorithm>

#include "floats.hpp"
#include "league.hpp"
#include "rnn/rnn_plan.hpp"

namespace brickwork {
namespace {

// Of a block of x, in equal parts that the brick's widest tile holds; a prime number of features stays whole.
std::int64_t part_of(std::int64_t block) {
  constexpr std::int64_t kFew = 16;
  for (std::int64_t part = std::min(block, kColumnsOfTile); part >= kFew; --part) {
    if (block % part == 0) return part;
  }
  return block;
}

// A multiple of bk that divides a block of the state.
std::int64_t features_of_a_task(const RnnForwardGeometry& forward) {
  for (std::int64_t m = kColumnsOfTile / forward.bk; m > 1; --m) {
    if (forward.y.block / forward.bk % m == 0) return m * forward.bk;
  }
  return forward.bk;
}

std::int64_t size_of_weights(const RnnBackwardGeometry& g, const RnnGradientColumns& c) {
  return c.rows.blocks() * c.rows.block * g.Db * c.count * g.bd;
}

// Equal ones of an update's rows, so that hardly any of the tasks that may run at a time is missing. More parts have to
// be worth what their gradients cost. (LSTMs of 256 features, 1680 rows: 0.42 ms in one part, 0.10 in 16; H100.)
std::int64_t parts_of_update(std::int64_t rows, std::int64_t tasks, std::int64_t at_a_time) {
  constexpr std::int64_t kFewRows = 96;
  constexpr double kWorthIt = 1.1;
  const std::int64_t most = std::min(ceil_div(4 * at_a_time, tasks), rows / kFewRows);
  std::int64_t best = 1;
  double best_share = 0;
  for (std::int64_t parts = 1; parts <= most; ++parts) {
    if (rows % parts != 0) continue;
    const std::int64_t all = tasks * parts;
    const double share = static_cast<double>(all) / static_cast<double>(whole_blocks(all, at_a_time));
    if (share > kWorthIt * best_share) best = parts, best_share = share;
  }
  return best;
}

RnnBackwardGeometry geometry_of(const RnnForwardGeometry& forward, const RnnPlace& place) {
  const RnnBackwardSizes sizes = place.backward_sizes(forward);
  const std::int64_t bd = features_of_a_task(forward), Db = ceil_div(forward.Kb, bd / forward.bk);
  RnnBackwardGeometry g{.forward = forward, .bn = sizes.bn, .shares = clamp(sizes.shares, 1, Db), .bd = bd, .Db = Db};
  const auto columns = [&](const RnnColumns& of, const RnnSteps& rows, std::int64_t block) {
    RnnGradientColumns c{.first = of.first, .count = of.count, .rows = rows, .block = block};
    const std::int64_t bytes = of.count * bd * block * static_cast<std::int64_t>(sizeof(float));
    if (of.count > 0) c.together = clamp(sizes.bytes_of_weights / bytes, 1, g.Db);
    return c;
  };
  g.of_x = columns(forward.of_x, forward.x, part_of(forward.x.block));
  g.of_state = columns(forward.of_state, forward.y, bd);
  g.of_reset = columns(forward.of_reset, forward.reset, bd);
  // A line more than their length, which is a power of two: a column's elements would meet in few sets of a cache. The
  // weights' update takes 3 to 5 % less with it (Zen 5).
  g.row_of_dgates = g.row_of_gates() + kFloatsOfLine;
  // Equal groups, as many for each worker: with 39 for two, x's gradients of a GNMT's layers took 7 % more (Zen 5).
  const std::int64_t groups = ceil_div(g.rows(), sizes.rows_of_dx), workers = place.workers(groups);
  g.rows_of_dx = ceil_div(g.rows(), groups < workers ? groups : whole_blocks(groups, workers));
  const std::int64_t reset = forward.resets() ? g.of_reset.rows.blocks() : 0;
  const std::int64_t tasks = Db * (g.of_x.rows.blocks() + g.of_state.rows.blocks() + reset);
  g.parts_of_update = parts_of_update(g.rows(), tasks, sizes.tasks_of_update);
  const std::int64_t of_part = g.rows() / g.parts_of_update;
  const bool at_once = of_part <= sizes.rows_of_update;
  g.rows_of_update = at_once ? of_part : forward.N;
  g.updates = at_once ? 1 : clamp(sizes.rows_of_update / forward.N, 1, forward.T);
  for (RnnGradientColumns* of : {&g.of_x, &g.of_state, &g.of_reset}) {
    of->gradient = g.gradient_of_bias;
    g.gradient_of_bias += whole_blocks(size_of_weights(g, *of), kFloatsOfLine);
  }
  g.size_of_gradients = g.gradient_of_bias + Db * g.row_of_gates();
  return g;
}

}  // namespace

RnnWayBackward::RnnWayBackward(const RnnWay& way, const RnnPlace& place)
    : shape_(way.shape()), g_(geometry_of(way.geometry(), place)) {
  const RnnForwardGeometry& f = g_.forward;
  const auto weights = [&](const RnnGradientColumns& c) { return Placed<float>(size_of_weights(g_, c), place); };
  of_x_ = weights(g_.of_x);
  of_state_ = weights(g_.of_state);
  of_reset_ = weights(g_.of_reset);
  dgates_ = {g_.Db * g_.rows() * g_.row_of_dgates, place};
  const std::int64_t padded = f.y.blocks() * f.y.slot_size(), c = f.c_slots > 0 ? f.Kb * f.N * f.bk : 0;
  dhT_ = {padded, place};
  dh_ = {padded, place};
  dreset_ = {f.resets() ? padded : 0, place};
  shares_ = {f.apart ? g_.shares * padded : 0, place};
  dcT_ = {c, place};
  dc_ = {c, place};
  gradients_ = {g_.size_of_gradients, place};
  copies_of_gradients_ = {(g_.parts_of_update - 1) * g_.size_of_gradients, place};
  ones_ = {f.apart ? 0 : g_.rows_of_update, place};
  std::fill_n(ones_.host(), ones_.size(), 1.0F);
  ones_.send();
}

Result<RnnWayBackward> RnnWayBackward::make(const RnnWay& way, const RnnPlace& place) {
  RnnWayBackward b(way, place);
  auto pass = place.backward(b.g_);
  if (!pass) return {pass.status(), pass.reason()};
  b.pass_ = *std::move(pass);
  return b;
}

// Element (feature, gate, k) of the plain weights [features][G][K] goes to row k of its column, column feature.
template <class GateOf>
void RnnWayBackward::pack(const RnnGradientColumns& c, const float* weights, const GateOf& gate_of,
                          Placed<float>& packed) const {
  const auto gates = gate_columns(shape_.cell);
  const std::int64_t K = shape_.y.size, G = std::ranges::count_if(gates, [](auto&g) { return g.layer >= 0; });
  const std::int64_t bd = g_.bd;
  float* const all = packed.host();
  std::fill_n(all, packed.size(), 0.0F);
  const auto task = [&](const auto&, std::int64_t block, void*) {
    float* const to = all + block * g_.Db * c.count * bd * c.block;
    for (std::int64_t f = 0; f < c.block; ++f) {
      const std::int64_t padded = block * c.block + f, in_part = c.rows.blocks_of_part() * c.rows.block;
      const std::int64_t part = padded / in_part, feature = padded % in_part;
      if (feature >= c.rows.size) continue;
      for (std::int64_t column = 0; column < c.count; ++column) {
        const auto gate = gate_of(gates[static_cast<std::size_t>(c.first + column)]);
        const float* const from = weights + ((part * c.rows.size + feature) * G + gate) * K;
        for (std::int64_t k = 0; k < K; ++k) {
          const std::int64_t row = (k / bd * c.count + column) * bd + k % bd;
          to[row * c.block + f] = from[k];
        }
      }
    }
  };
  parallel_league(Kokkos::DefaultHostExecutionSpace(), c.blocks(), 1, 0, task);
  packed.send();
}

template <class GateOf>
void RnnWayBackward::unpack(const RnnGradientColumns& c, const float* gradients, float* gradient,
                            const GateOf& gate_of) const {
  const auto gates = gate_columns(shape_.cell);
  const std::int64_t K = shape_.y.size, G = std::ranges::count_if(gates, [](auto&g) { return g.layer >= 0; });
  const std::int64_t bd = g_.bd;
  const float* const all = gradients + c.gradient;
  for (std::int64_t part = 0; part < c.rows.parts; ++part) {
    for (std::int64_t f = 0; f < c.rows.size; ++f) {
      const std::int64_t block = part * c.rows.blocks_of_part() + f / c.rows.block;
      for (std::int64_t column = 0; column < c.count; ++column) {
        const auto gate = gate_of(gates[static_cast<std::size_t>(c.first + column)]);
        float* const to = gradient + ((part * c.rows.size + f) * G + gate) * K;
        for (std::int64_t k = 0; k < K; ++k) {
          const std::int64_t row = (k / bd * c.rows.blocks() + block) * c.rows.block + f % c.rows.block;
          to[k] = all[(row * c.count + column) * bd + k % bd];
        }
      }
    }
  }
}

void RnnWayBackward::set_weights(const float* layer, const float* iter) {
  const auto iter_of = [](const GateColumn& c) { return c.iter; };
  pack(
      g_.of_x, layer, [](const GateColumn& c) { return c.layer; }, of_x_);
  pack(g_.of_state, iter, iter_of, of_state_);
  if (g_.forward.resets()) pack(g_.of_reset, iter, iter_of, of_reset_);
}

void RnnWayBackward::set_states(const float* dhT, const float* dcT) {
  const std::int64_t N = shape_.y.N, K = shape_.y.size, bk = g_.forward.bk;
  for (std::int64_t n = 0; n < N; ++n)
    for (std::int64_t k = 0; k < K; ++k) {
      dhT_.host()[g_.dh_at(k, n)] = dhT[n * K + k];
      if (dcT_.size() > 0) dcT_.host()[(k / bk * N + n) * bk + k % bk] = dcT[n * K + k];
    }
  dhT_.send();
  dcT_.send();
}

void RnnWayBackward::get_states(float* dh0, float* dc0) const {
  const std::int64_t N = shape_.y.N, K = shape_.y.size, bk = g_.forward.bk;
  const float *const dh = dh_.fetched(), *const dc = dc_.fetched();
  for (std::int64_t n = 0; n < N; ++n)
    for (std::int64_t k = 0; k < K; ++k) {
      dh0[n * K + k] = dh[g_.dh_at(k, n)];
      if (dc_.size() > 0) dc0[n * K + k] = dc[(k / bk * N + n) * bk + k % bk];
    }
}

void RnnWayBackward::get_gradients(float* layer, float* iter, float* bias) const {
  const auto iter_of = [](const GateColumn& c) { return c.iter; };
  const float* const all = gradients_.fetched();
  unpack(g_.of_x, all, layer, [](const GateColumn& c) { return c.layer; });
  unpack(g_.of_state, all, iter, iter_of);
  if (g_.forward.resets()) unpack(g_.of_reset, all, iter, iter_of);
  const auto gates = gate_columns(shape_.cell);
  const float* const dbias = all + g_.gradient_of_bias;
  const std::int64_t K = shape_.y.size, bd = g_.bd;
  for (std::int64_t k = 0; k < K; ++k)
    for (std::size_t c = 0; c < gates.size(); ++c)
      bias[gates[c].bias * K + k] = dbias[k / bd * g_.row_of_gates() + static_cast<std::int64_t>(c) * bd + k % bd];
}

RnnBackwardData RnnWayBackward::data() const {
  return {.weights_of_x = of_x_.data(),
          .weights_of_state = of_state_.data(),
          .weights_of_reset = of_reset_.data(),
          .dhT = dhT_.data(),
          .dcT = dcT_.data(),
          .dgates = dgates_.data(),
          .dh = dh_.data(),
          .dreset = dreset_.data(),
          .shares = shares_.data(),
          .dc = dc_.data(),
          .gradients = {gradients_.data(), copies_of_gradients_.data(), g_.size_of_gradients},
          .ones = ones_.data()};
}

void RnnWayBackward::run_data(const RnnWay& way, float* y, const float* dy, const std::int32_t* lengths) {
  RnnBackwardData d = data();
  d.forward = way.data(nullptr, y, lengths);
  d.dstates = dy + shape_.part * shape_.y.blocks_of_part() * shape_.y.block_size();
  pass_->run_data(d);
}

void RnnWayBackward::run_x(float* dx, bool accumulate) const {
  pass_->run_x(data(), dx + shape_.first * shape_.x.slot_size(), accumulate);
}

void RnnWayBackward::run_update(const RnnWay& way, const float* x, float* y) {
  RnnBackwardData d = data();
  d.forward = way.data(x, y, nullptr);
  pass_->run_update(d);
}

}  // namespace brickwork
