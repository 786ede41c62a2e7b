// Recursive models level by level by oneDNN.
#include "baselines/recursive_baselines.hpp"
#ifdef BRICKWORK_HAS_ONEDNN
#include <memory>

#include "baselines/onednn/recursive_forward.hpp"

namespace brickwork {
namespace onednn {
namespace {

class PreparedInference final : public Prepared {
 public:
  PreparedInference(const RecursiveProblem& p, const PlainTensors& in, int threads)
      : forest_(p.forest()),
        setting_(p.cell(), p.H, *forest_, threads, /*training=*/false),
        forward_(context_, setting_, in) {}

  void pack() override { forward_.pack(); }
  void run() override { forward_.run(*forest_); }
  void unpack(PlainTensors& out) override { forward_.unpack(out); }
  std::string implementation() const override { return forward_.implementation(); }
  std::string isa() const override { return onednn::isa(); }

 private:
  Context context_;
  std::shared_ptr<const Forest> forest_;
  RecursiveSetting setting_;
  RecursiveForward forward_;
};

}  // namespace
}  // namespace onednn

Contender<RecursiveInferenceOp> onednn_recursive_inference() {
  return {.name = "onednn",
          .library = {"oneDNN", onednn::version()},
          .prepare = [](const RecursiveProblem& p, const PlainTensors& in, const Resources& r) -> Result<PreparedPtr> {
            return {std::make_unique<onednn::PreparedInference>(p, in, r.threads)};
          }};
}

}  // namespace brickwork

#else

namespace brickwork {

Contender<RecursiveInferenceOp> onednn_recursive_inference() {
  return absent_library<RecursiveInferenceOp>("onednn", "oneDNN");
}

}  // namespace brickwork

#endif
