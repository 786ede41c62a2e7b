// Runs one pass of a layer, whose instructions callgrind counts: instruction_counts NAME. Without a name it prints all
// names. scripts/count-instructions calls it. One thread, AVX2, the default tuning and MachineModel's own caches make
// the count the same on every x86 machine, as long as the compiler is.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/base/aligned_buffer.hpp"
#include "kernels/brgemm/brgemm.hpp"
#include "primitives/conv/backward/conv_backward_data.hpp"
#include "primitives/conv/forward/conv_forward.hpp"
#include "primitives/conv/update/conv_weight_update.hpp"
#include "primitives/fc/fc_layers.hpp"
#include "primitives/op/kokkos_scope.hpp"
#include "primitives/rnn/rnn.hpp"

// Callgrind counts inside this function alone, so it must keep its name and must not be inlined.
extern "C" [[gnu::noinline]] void brickwork_counted(const std::function<void()>& pass) { pass(); }

namespace {

using namespace brickwork;
using Buffer = AlignedBuffer<float>;

const MachineModel kMachine;

Buffer ones(std::int64_t size) {
  Buffer buffer(static_cast<std::size_t>(size));
  std::ranges::fill(std::span(buffer.data(), buffer.size()), 1.0f);
  return buffer;
}

void brgemm(int m, int n, int k, std::int64_t batch) {
  const BrgemmShape shape{.m = m, .n = n, .k = k, .lda = k, .ldb = n, .ldc = n, .stride_a = m * k, .stride_b = k * n};
  const BrgemmKernelPtr kernel = *make_brgemm(shape, {}, Backend::simd, Isa::avx2);
  const Buffer a = ones(batch * m * k), b = ones(batch * k * n);
  Buffer c = ones(m * n);
  brickwork_counted([&] { (*kernel)({.batch = strided_batch(shape, a.data(), b.data(), batch), .c = c.data()}); });
}

void forward(const ConvProblem& p) {
  const ConvForward pass = *ConvForward::make(p, plan_conv_forward(p, kMachine), Backend::simd, Isa::avx2);
  const Buffer src = ones(pass.src_layout().size()), weights = ones(pass.weights_layout().size());
  const Buffer bias = ones(pass.dst_layout().Cb() * pass.dst_layout().bc);
  Buffer dst = ones(pass.dst_layout().size());
  brickwork_counted([&] { pass.run(src.data(), weights.data(), bias.data(), nullptr, dst.data()); });
}

void backward_data(const ConvProblem& p) {
  ConvBackwardData pass = *ConvBackwardData::make(p, plan_conv_backward_data(p, kMachine), Backend::simd, Isa::avx2);
  const Buffer ddst = ones(pass.ddst_layout().size()), weights = ones(pass.weights_size());
  Buffer dsrc = ones(pass.dsrc_layout().size());
  brickwork_counted([&] { pass.run(ddst.data(), weights.data(), nullptr, nullptr, dsrc.data()); });
}

void weight_update(const ConvProblem& p) {
  ConvWeightUpdate pass = *ConvWeightUpdate::make(p, plan_conv_update(p, kMachine), Backend::simd, Isa::avx2);
  const Buffer src = ones(pass.src_layout().size()), ddst = ones(pass.ddst_layout().size());
  Buffer dweights = ones(pass.dweights_layout().size()), dbias = ones(pass.dbias_size());
  brickwork_counted([&] { pass.run(src.data(), ddst.data(), dweights.data(), dbias.data()); });
}

void lstm(bool backward) {
  const RnnProblem p{.T = 5, .N = 24, .C = 64, .K = 64};
  Rnn rnn = *Rnn::make({p, RnnUse::training}, plan_rnn(p, kMachine), Backend::simd, Isa::avx2);
  const Buffer x = ones(p.T * p.N * p.C), states = ones(p.N * p.K), y = ones(p.T * p.N * p.K);
  const Buffer weights = ones(4 * p.C * p.K), bias = ones(4 * p.K);
  rnn.set_weights(0, weights.data(), weights.data(), bias.data());
  rnn.set_x(x.data());
  rnn.set_states(states.data(), states.data());
  if (!backward) return brickwork_counted([&] { rnn.run(); });
  rnn.run();
  rnn.set_gradients(y.data(), states.data(), states.data());
  brickwork_counted([&] {
    rnn.run_backward_data();
    rnn.run_weight_update();
  });
}

const ConvProblem k1x1{.C = 64, .K = 256, .H = 28, .W = 28};
const ConvProblem k3x3{.C = 128, .K = 128, .H = 14, .W = 14, .R = 3, .S = 3, .pad_h = 1, .pad_w = 1};
const ConvProblem kStrided{.C = 128, .K = 128, .H = 28, .W = 28, .stride_h = 2, .stride_w = 2};
const ConvProblem kFirst{
    .C = 3, .K = 64, .H = 56, .W = 56, .R = 7, .S = 7, .stride_h = 2, .stride_w = 2, .pad_h = 3, .pad_w = 3};
const ConvProblem kFc = conv_of({.N = 96, .C = 256, .K = 256});

struct Counted {
  std::string_view name;
  std::function<void()> run;
};
const Counted kCounted[] = {
    {"brgemm-m14-n64-k64-b8", [] { brgemm(14, 64, 64, 8); }},
    {"brgemm-m5-n17-k13-b3", [] { brgemm(5, 17, 13, 3); }},
    {"conv-forward-1x1", [] { forward(k1x1); }},
    {"conv-forward-3x3", [] { forward(k3x3); }},
    {"conv-forward-1x1-stride2", [] { forward(kStrided); }},
    {"conv-forward-7x7-first", [] { forward(kFirst); }},
    {"conv-backward-1x1", [] { backward_data(k1x1); }},
    {"conv-backward-3x3", [] { backward_data(k3x3); }},
    {"conv-update-1x1", [] { weight_update(k1x1); }},
    {"conv-update-3x3", [] { weight_update(k3x3); }},
    {"fc-forward", [] { forward(kFc); }},
    {"lstm-forward", [] { lstm(/*backward=*/false); }},
    {"lstm-backward", [] { lstm(/*backward=*/true); }},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    for (const Counted& counted : kCounted) std::puts(std::string(counted.name).c_str());
    return 0;
  }
  const auto* const found = std::ranges::find(kCounted, std::string_view(argv[1]), &Counted::name);
  if (found == std::end(kCounted)) {
    std::fprintf(stderr, "instruction_counts: unknown pass '%s'; without a name it prints all names\n", argv[1]);
    return 2;
  }
  const KokkosScope kokkos(/*threads=*/1);
  found->run();
}
