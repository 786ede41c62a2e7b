// The baselines of training whole networks.
#include "baselines/network_baselines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <variant>

#include "baselines/testing/exact.hpp"
#include "primitives/network/op/testing/small_networks.hpp"

namespace brickwork {
namespace {

using testing::HasSubstr;

// A network with every kind of layer, in sizes that no block divides.
struct OddNetwork {
  static constexpr std::string_view primitive = "odd-network";

  static const SizeTable<OddNetwork>& table() {
    static const SizeTable<OddNetwork> table{.kind = "odd-network",
                                             .sizes = {{.key = "N", .column = "N", .member = &OddNetwork::N},
                                                       {.key = "H", .column = "H", .member = &OddNetwork::H}},
                                             .words = {part_word<OddNetwork>()}};
    return table;
  }
  void validate() const {}

  std::string name;
  std::int64_t N = 1, H = 0;
  NetworkPart part = NetworkPart::step;
  int count = 1;
};

NetworkGraph network_graph(const OddNetwork& p) {
  NetworkGraph graph = small_residual_network(p.N, p.H);
  // Before a batch normalisation the gradient of a bias is only rounding.
  std::get<ConvProblem>(graph.layers.front().problem).epilogue.bias = false;
  return graph;
}

using OddNetworkOp = NetworkTrainingOp<OddNetwork>;

Contender<OddNetworkOp> onednn_odd_network() {
  return {.name = "onednn",
          .library = onednn_resnet().library,
          .prepare = [](const OddNetwork& p, const PlainTensors& in, const Resources&) {
            return prepare_onednn_network(network_graph(p), p.part, in);
          }};
}

template <Operation Op>
std::string fault_of(const Contender<Op>& contender, const std::string& text,
                     std::initializer_list<int> threads = {2}) {
  const auto p = parse_problem<typename Op::Problem>(text);
  const TestData data = make_checkable_test_data<Op>(p, Fill::floats);
  for (const int t : threads) {
    const Verdict verdict = verdict_on(contender, p, data, t);
    if (verdict.status != Status::ok) return text + ": " + verdict.reason;
  }
  return {};
}

template <Operation Op>
void expect_right(const Contender<Op>& contender, std::initializer_list<std::string> problems) {
  if (!contender.library.absent.empty()) GTEST_SKIP() << contender.library.absent;
  for (const std::string& problem : problems) {
    for (const char* part : {" forward", " backward", " step"})
      EXPECT_EQ(fault_of(contender, problem + part, {1, 3}), "");
  }
}

TEST(NetworkBaselines, OnednnMlpIsRight) { expect_right(onednn_mlp(), {"N4 C32 L3", "N1 C7 L2", "N6 C70 L1"}); }
TEST(NetworkBaselines, OnednnResnetIsRight) { expect_right(onednn_resnet(), {"N2 L14 H40 K10", "N1 L14 H64 K7 v1"}); }
TEST(NetworkBaselines, OnednnOddNetworkIsRight) { expect_right(onednn_odd_network(), {"N4 H9", "N3 H14"}); }

// Gives the contender inputs that `wrong` has changed.
template <Operation Op>
Contender<Op> with_inputs(const Contender<Op>& contender, std::function<void(PlainTensors&)> wrong) {
  Contender<Op> changed = contender;
  changed.prepare = [=](const typename Op::Problem& p, const PlainTensors& in, const Resources& r) {
    static PlainTensors inputs;  // must outlive the prepared contender
    inputs = PlainTensors(in.infos());
    for (std::size_t i = 0; i < in.infos().size(); ++i) {
      const std::string& name = in.infos()[i].name;
      if (name == "labels") {
        std::ranges::copy(in.values<std::int32_t>(i), inputs.values<std::int32_t>(i).begin());
      } else {
        std::ranges::copy(in.values<float>(i), inputs.values<float>(i).begin());
      }
    }
    wrong(inputs);
    return contender.prepare(p, inputs, r);
  };
  return changed;
}

TEST(NetworkBaselines, WrongTrainingIsNoticed) {
  const auto right = onednn_odd_network();
  if (!right.library.absent.empty()) GTEST_SKIP() << right.library.absent;
  EXPECT_EQ(fault_of(with_inputs(right, [](PlainTensors&) {}), "N4 H9 step"), "");
  const auto relabelled = with_inputs(right, [](PlainTensors& in) {
    for (auto& label : in.values<std::int32_t>(1)) label = (label + 1) % 4;
  });
  EXPECT_THAT(fault_of(relabelled, "N4 H9 forward"), HasSubstr("outputs in loss are wrong"));
  EXPECT_THAT(fault_of(relabelled, "N4 H9 backward"), HasSubstr("gradient are wrong"));
  EXPECT_THAT(fault_of(relabelled, "N4 H9 step"), HasSubstr("are wrong"));
  const auto other_weights = with_inputs(right, [](PlainTensors& in) {
    for (float& w : in.values<float>(2)) w = 0;
  });
  EXPECT_THAT(fault_of(other_weights, "N4 H9 forward"), HasSubstr("outputs in loss are wrong"));
}

TEST(NetworkBaselines, OnednnNamesItsImplementations) {
  if (!onednn_mlp().library.absent.empty()) GTEST_SKIP() << onednn_mlp().library.absent;
  const auto p = parse_problem<MlpProblem>("N4 C32 L3 forward");
  const TestData data = make_checkable_test_data<MlpOp>(p, Fill::floats);
  const auto prepared = prepare(onednn_mlp(), p, data.inputs, {1});
  EXPECT_THAT((*prepared)->implementation(), testing::StartsWith("3 "));
  EXPECT_FALSE((*prepared)->isa().empty());
}

}  // namespace
}  // namespace brickwork
