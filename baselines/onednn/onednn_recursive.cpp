// Recursive models level by level by oneDNN.
#include "baselines/recursive_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include <memory>

#include "baselines/onednn/recursive_backward.hpp"
#include "baselines/onednn/recursive_forward.hpp"

namespace brickwork {
namespace onednn {
namespace {

class PreparedRecursive : public Prepared {
 public:
  PreparedRecursive(const RecursiveProblem& p, const PlainTensors& in, int threads, bool training = false)
      : forest_(p.forest()), setting_(p.cell(), p.H, *forest_, threads, training), forward_(context_, setting_, in) {}

  void pack() override { forward_.pack(); }
  void run() override { forward_.run(*forest_); }
  void unpack(PlainTensors& states) override { forward_.unpack(states); }
  std::string implementation() const override { return forward_.implementation(); }
  std::string isa() const override { return onednn::isa(); }

 protected:
  Context context_;
  std::shared_ptr<const Forest> forest_;
  RecursiveSetting setting_;
  RecursiveForward forward_;
};

class PreparedTraining final : public PreparedRecursive {
 public:
  PreparedTraining(const RecursiveProblem& p, const PlainTensors& in, int threads)
      : PreparedRecursive(p, in, threads, /*training=*/true), backward_(context_, setting_, forward_, in) {}

  void pack() override {
    forward_.pack();
    backward_.pack();
  }
  void run() override {
    forward_.run(*forest_);
    backward_.run();
  }
  void unpack(PlainTensors& gradients) override { backward_.unpack(gradients); }

 private:
  RecursiveBackward backward_;
};

template <class APrepared, Operation Op>
Contender<Op> recursive_contender() {
  return {.name = "onednn",
          .library = {"oneDNN", version()},
          .prepare = [](const RecursiveProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            return {std::make_unique<APrepared>(p, in, r.threads)};
          }};
}

}  // namespace
}  // namespace onednn

Contender<RecursiveInferenceOp> onednn_recursive_inference() {
  return onednn::recursive_contender<onednn::PreparedRecursive, RecursiveInferenceOp>();
}
Contender<RecursiveTrainingOp> onednn_recursive_training() {
  return onednn::recursive_contender<onednn::PreparedTraining, RecursiveTrainingOp>();
}

}  // namespace brickwork

#else

namespace brickwork {

Contender<RecursiveInferenceOp> onednn_recursive_inference() {
  return absent_library<RecursiveInferenceOp>("onednn", "oneDNN");
}
Contender<RecursiveTrainingOp> onednn_recursive_training() {
  return absent_library<RecursiveTrainingOp>("onednn", "oneDNN");
}

}  // namespace brickwork

#endif
