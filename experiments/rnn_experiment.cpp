// rnn-inference and rnn-forward: recurrent layers, our loops around each backend of the brick beside the libraries.
#include <fmt/format.h>

#include "experiment_of.hpp"
#include "onednn_latest.hpp"
#include "our_loops.hpp"
#include "rnn/rnn.hpp"
#include "rnn_baselines.hpp"

namespace brickwork {
namespace {

template <class AnOp, RnnUse kUse>
struct RnnPass {
  using Op = AnOp;
  using Plan = RnnPlan;
  using Driver = Rnn;

  static RnnWork problem(const RnnProblem& p) { return {p, kUse}; }
  static Plan parse(std::string_view text) { return parse_rnn_plan(text); }
  static Plan rule(const RnnWork& work, const MachineModel& machine, Backend) {
    return plan_rnn(work.problem, machine);
  }

  class Prepared final : public PreparedLoops<Rnn> {
   public:
    using PreparedLoops::PreparedLoops;

    void pack() override {
      driver_.set_x(plain_.at<float>("x"));
      driver_.set_states(plain_.at<float>("h0"), plain_.at<float>("c0"));
      driver_.set_lengths(plain_.at<std::int32_t>("lengths"));
      for (std::int64_t l = 0; l < driver_.problem().L; ++l) {
        const auto weights = [&](const char* name) { return plain_.at<float>(fmt::format("{}.{}", name, l)); };
        driver_.set_weights(l, weights("weights_layer"), weights("weights_iter"), weights("bias"));
      }
    }
    void run() override { driver_.run(); }
    void unpack(PlainTensors& out) override {
      driver_.get_y(out.at<float>("y"));
      driver_.get_states(out.at<float>("hT"), out.at<float>("cT"));
    }
  };
};

template <class Pass>
std::unique_ptr<Experiment> rnn_experiment(const Request& request,
                                           std::vector<Contender<typename Pass::Op>> libraries) {
  std::vector<Contender<typename Pass::Op>> contenders;
  for (const Backend backend : {Backend::simd, Backend::libxsmm, Backend::portable}) {
    contenders.push_back(planned_loops<Pass>(backend, request.options));
  }
  contenders.insert(contenders.end(), libraries.begin(), libraries.end());
  return make_experiment<typename Pass::Op>(request, contenders);
}

}  // namespace

std::unique_ptr<Experiment> rnn_inference_experiment(const Request& request) {
  return rnn_experiment<RnnPass<RnnInferenceOp, RnnUse::inference>>(
      request,
      {onednn_rnn_inference(), onednn_latest("onednn-latest", onednn_rnn_inference()), openblas_rnn_inference()});
}

std::unique_ptr<Experiment> rnn_forward_experiment(const Request& request) {
  return rnn_experiment<RnnPass<RnnForwardOp, RnnUse::training>>(
      request, {onednn_rnn_forward(), onednn_latest("onednn-latest", onednn_rnn_forward())});
}

}  // namespace brickwork
