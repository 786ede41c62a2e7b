// Compares recurrent layers on a target with the definition, for tests.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "primitives/op/test_data.hpp"
#include "primitives/rnn/op/rnn_ops.hpp"
#include "primitives/rnn/rnn.hpp"

namespace brickwork {

inline void set_sources(Rnn& rnn, const PlainTensors& in) {
  rnn.set_x(in.at<float>("x"));
  rnn.set_states(in.at<float>("h0"), in.at<float>("c0"));
  rnn.set_lengths(in.at<std::int32_t>("lengths"));
}

inline Rnn rnn_with(const RnnWork& work, const RnnPlan& plan, const PlainTensors& in, const RnnTarget& target) {
  auto made = Rnn::make(work, plan, target);
  if (!made) throw std::logic_error(made.reason());
  Rnn rnn = *std::move(made);
  for (std::int64_t l = 0; l < work.problem.L; ++l) {
    rnn.set_weights(l, in.at<float>(fmt::format("weights_layer.{}", l)),
                    in.at<float>(fmt::format("weights_iter.{}", l)), in.at<float>(fmt::format("bias.{}", l)));
  }
  return rnn;
}

inline void at_once() {}

// The inputs of a run that leaves NaN wherever it writes: all tensors except the weights are NaN, and no sequence ends
// before T.
inline PlainTensors nan_run(const RnnProblem& p, std::vector<TensorInfo> infos) {
  PlainTensors in(std::move(infos));
  for (std::size_t i = 0; i < in.infos().size(); ++i) {
    if (in.infos()[i].dtype == DType::i32) {
      std::ranges::fill(in.values<std::int32_t>(i), static_cast<std::int32_t>(p.T));
    } else {
      std::ranges::fill(in.values<float>(i), std::numeric_limits<float>::quiet_NaN());
    }
  }
  return in;
}

// The driver's outputs after a run on NaN. That run's values must not show, not even after the end of a sequence.
// `finish` waits for a target that does not wait itself.
inline PlainTensors run_rnn(const RnnProblem& p, const RnnPlan& plan, RnnUse use, const PlainTensors& in,
                            const RnnTarget& target, void (*finish)() = at_once) {
  Rnn rnn = rnn_with({p, use}, plan, in, target);
  const PlainTensors before = nan_run(p, RnnForwardOp::inputs(p));
  for (const PlainTensors* of : {&before, &in}) {
    set_sources(rnn, *of);
    rnn.run();
    finish();
  }
  PlainTensors out(RnnForwardOp::outputs(p));
  poison(out);
  rnn.get_y(out.at<float>("y"));
  rnn.get_states(out.at<float>("hT"), out.at<float>("cT"));
  return out;
}

inline PlainTensors run_rnn_backward(const RnnProblem& p, const RnnPlan& plan, const PlainTensors& in,
                                     const RnnTarget& target, void (*finish)() = at_once) {
  Rnn rnn = rnn_with({p, RnnUse::training}, plan, in, target);
  const PlainTensors before = nan_run(p, RnnBackwardOp::inputs(p));
  for (const PlainTensors* of : {&before, &in}) {
    set_sources(rnn, *of);
    rnn.run();
    rnn.set_gradients(of->at<float>("dy"), of->at<float>("dhT"), of->at<float>("dcT"));
    rnn.run_backward_data();
    rnn.run_weight_update();
    finish();
  }
  PlainTensors out(RnnBackwardOp::outputs(p));
  poison(out);
  rnn.get_data_gradients(out.at<float>("dx"), out.at<float>("dh0"), out.at<float>("dc0"));
  for (std::int64_t l = 0; l < p.L; ++l) {
    const auto gradient = [&](const char* name) { return out.at<float>(fmt::format("{}.{}.gradient", name, l)); };
    rnn.get_weight_gradients(l, gradient("weights_layer"), gradient("weights_iter"), gradient("bias"));
  }
  return out;
}

// The first pass that is wrong on the target, and why; empty if all are right.
inline std::string wrong_rnn(const RnnProblem& p, const RnnPlan& plan, const RnnTarget& target,
                             void (*finish)() = at_once) {
  const auto wrong = [&](const char* pass, const PlainTensors& out, const TestData& data) {
    const Verdict verdict = compare(out, data.expected, data.tolerance);
    return verdict.status == Status::ok
               ? ""
               : fmt::format("{} {}, {}: {}\n", to_string(p), pass, to_string(plan), verdict.reason);
  };
  std::string what;
  const TestData data = make_checkable_test_data<RnnForwardOp>(p, Fill::floats);
  for (const RnnUse use : {RnnUse::inference, RnnUse::training}) {
    what += wrong("forward", run_rnn(p, plan, use, data.inputs, target, finish), data);
  }
  const TestData back = make_checkable_test_data<RnnBackwardOp>(p, Fill::floats);
  return what + wrong("backward", run_rnn_backward(p, plan, back.inputs, target, finish), back);
}

}  // namespace brickwork
