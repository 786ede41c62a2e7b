#include "primitives/analysis/rankings/network.hpp"

#include <gtest/gtest.h>

#include "primitives/analysis/rankings/measured.hpp"
#include "primitives/analysis/rankings/testing/made_network.hpp"
#include "primitives/analysis/rankings/testing/made_variants.hpp"
#include "primitives/analysis/rankings/tournament.hpp"

namespace brickwork {
namespace {

class RankingByNetwork : public testing::Test {
 protected:
  ~RankingByNetwork() override { use_ranking_network(shipped_ranking_network()); }
};

TEST_F(RankingByNetwork, TheNetworkInUsePlaysTheTournament) {
  const auto variants = random_variants(30, 1);
  const RankingNetwork network = random_network({6, 2}, 1);
  use_ranking_network(network);
  EXPECT_EQ(costs_by_network(variants, made_caches()), tournament_costs(network, variants));
}

TEST_F(RankingByNetwork, WithoutANetworkTheOrderIsThatOfMeasured) {
  const auto variants = random_variants(30, 1);
  use_ranking_network(std::nullopt);
  EXPECT_EQ(costs_by_network(variants, made_caches()), costs_by_measured(variants, made_caches()));
}

TEST_F(RankingByNetwork, TheShippedNetworkIsUsedAtFirst) { EXPECT_EQ(ranking_network(), shipped_ranking_network()); }

}  // namespace
}  // namespace brickwork
