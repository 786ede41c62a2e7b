// The weights of the neural ranking, as a value and as a text.
//
// The network sees the features of two variants and says with which probability the first one is faster: fully
// connected layers with ReLUs between them and a softmax over two outputs at the end.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brickwork {

// Of the features and of the text. Weights of another version are refused.
constexpr int kRankingNetworkVersion = 1;

struct RankingNetwork {
  struct Layer {
    std::vector<float> weights, bias;  // [K][C], [K]
    std::size_t K() const { return bias.size(); }
    std::size_t C() const { return weights.size() / bias.size(); }
    friend bool operator==(const Layer&, const Layer&) = default;
  };

  std::string processor;  // on which the variants were measured
  std::vector<Layer> layers;
  friend bool operator==(const RankingNetwork&, const RankingNetwork&) = default;
};

// The network with weights of four decimals, as the text has them.
RankingNetwork rounded(RankingNetwork);

std::string to_string(const RankingNetwork&);  // JSON

// Throws std::invalid_argument with what is wrong: "its version is 2, and this program's is 1".
RankingNetwork parse_ranking_network(std::string_view json);

// The network that this build contains; nullopt: it has none.
const std::optional<RankingNetwork>& shipped_ranking_network();

}  // namespace brickwork
