#include <algorithm>

#include "baselines.hpp"
#include "conv/conv_reference.hpp"
#include "conv_forward_contender.hpp"
#include "experiment_of.hpp"
#include "experiments.hpp"
#include "machine.hpp"
#include "size_words.hpp"
#include "test_values.hpp"

namespace brickwork {
namespace {

// Every contender of conv-forward; a new one is a line here.
ContenderTable<ConvProblem, ConvTensors> conv_forward_table(const Options& o) {
  ContenderTable<ConvProblem, ConvTensors> table;
  table.push_back(make_conv_forward(Backend::simd, o.isa, o.plan));
  table.push_back(make_conv_forward(Backend::libxsmm, o.isa, o.plan));
  table.push_back(make_conv_forward(Backend::portable, o.isa, o.plan));
  table.push_back(make_onednn_conv());
  table.push_back(make_libxsmm_dnn_conv());
  table.push_back(make_im2col_conv());
  table.push_back(make_small_gemm_conv());
  return table;
}

// Images come from this many distinct ones, so that the slow reference runs on few and still judges all.
constexpr std::int64_t distinct_images = 3;

class ConvForwardExperiment : public ExperimentOf<ConvProblem, ConvTensors> {
 public:
  using ExperimentOf::ExperimentOf;
  std::string primitive() const override { return "conv"; }
  std::string pass() const override { return "forward"; }

 protected:
  TestData<ConvTensors> empty_data(const ConvProblem& p) const override {
    TestData<ConvTensors> data;
    const auto allocate = [&](std::int64_t size) {
      return data.buffers.emplace_back(static_cast<std::size_t>(size)).data();
    };
    data.tensors.src = allocate(p.src_size());
    data.tensors.weights = allocate(p.weights_size());
    if (p.epilogue.bias) data.tensors.bias = allocate(p.K);
    if (p.epilogue.residual) data.tensors.residual = allocate(p.dst_size());
    data.output_size = static_cast<std::size_t>(p.dst_size());
    return data;
  }

  TestData<ConvTensors> make_data(const ConvProblem& p, Fill fill, const std::string& seed) const override {
    TestData<ConvTensors> data = empty_data(p);
    ConvProblem few = p;
    few.N = std::min(p.N, distinct_images);
    TestValues values(fill, p.C * p.R * p.S, seed);
    for (auto& buffer : data.buffers) {
      const bool per_image = buffer.data() == data.tensors.src || buffer.data() == data.tensors.residual;
      const std::size_t distinct =
          per_image ? buffer.size() / static_cast<std::size_t>(p.N) * static_cast<std::size_t>(few.N) : buffer.size();
      values.fill({buffer.data(), distinct});
      for (std::size_t i = distinct; i < buffer.size(); ++i) buffer[i] = buffer[i - distinct];
    }
    data.tolerance = values.tolerance();
    data.expected = AlignedBuffer<float>(static_cast<std::size_t>(few.dst_size()));
    conv_forward_reference(few, data.tensors.src, data.tensors.weights, data.tensors.bias, data.tensors.residual,
                           data.expected.data());
    return data;
  }
};

bool gives_minibatch(const std::string& text) {
  return std::ranges::any_of(split_words(text, " ,_"), [](std::string_view word) { return word.starts_with('N'); });
}

}  // namespace

std::unique_ptr<Experiment> make_conv_forward_experiment(const Options& o) {
  const std::int64_t minibatch = o.minibatch.value_or(28);
  auto problems = choose_problems(
      o, "resnet50",
      [&](std::istream& in, const std::string& file) { return read_conv_shapes(in, file, minibatch, o.epilogue); },
      [&](const std::string& text) {
        ConvProblem problem = parse_conv_problem(text);
        if (!gives_minibatch(text)) problem.N = minibatch;
        if (!problem.epilogue.any()) problem.epilogue = o.epilogue;
        problem.validate();
        return problem;
      });
  const Resources resources{o.threads > 0 ? o.threads : machine().usable_cores};
  return std::make_unique<ConvForwardExperiment>(std::move(problems),
                                                 choose_contenders(conv_forward_table(o), o.contenders), resources);
}

std::vector<std::pair<std::string, std::string>> conv_forward_availability(const Options& o) {
  return availability(conv_forward_table(o), parse_conv_problem("C64 K64 H14"));
}

}  // namespace brickwork
