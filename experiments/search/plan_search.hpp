// Looks for the fastest plan of one problem by running plans: whatever a plan is, and whatever it plans.
//
// It starts from a rule's plan and goes best-first from neighbour to neighbour, each against the best so far in a race
// that ends as soon as it is no longer promising. Of hundreds of equal plans the luckiest looks better than it is, so
// the winner and the rule's plan are measured anew against each other, twice, the second time with tensors that lie
// elsewhere: where they lie decides what collides in a cache, some percent of a layer's time. A tie goes to the rule.
#pragma once
#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "experiments/search/duel.hpp"

namespace brickwork {

template <class Plan>
struct PlanSpace {
  std::function<std::vector<Plan>(const Plan&)> neighbours;
  // What runs the plan; null where it is a misfit. A plan whose making or running throws is passed over likewise.
  std::function<std::function<void()>(const Plan&)> make;
  // What is made from now on has tensors in other memory than what was made before.
  std::function<void()> move;
};

struct SearchLimits {
  double seconds;  // for all of it; a last call or, of slow plans, a few more go beyond
  RaceClock clock;
  std::function<bool()> stop;  // asked before every pair of samples: the search ends and answers with the rule's plan
};

template <class Plan>
struct SearchResult {
  Plan plan;
  double speedup = 1;  // over the rule's plan, the lesser of the last two measurements; 1 where that is the answer
  int tried = 0;       // plans that ran, beside the rule's
};

// A winner must beat the rule's plan by this share of its time in both of the last measurements.
constexpr double kSearchMargin = 0.01;

template <class Plan>
class PlanSearch {
 public:
  PlanSearch(PlanSpace<Plan> space, SearchLimits limits) : space_(std::move(space)), limits_(std::move(limits)) {}

  // Throws what making or running the rule's own plan throws; std::invalid_argument where that is a misfit.
  SearchResult<Plan> run(const Plan& rule) {
    constexpr double kSearch = 0.7, kFirst = 0.85;  // shares of the time, then the second measurement's rest
    const double start = limits_.clock();
    end_ = start + kSearch * limits_.seconds;
    auto work = space_.make(rule);
    if (!work) throw std::invalid_argument("the rule's plan cannot run");
    const Racer of_rule = racer_of(std::move(work), kSampleSeconds, limits_.clock);
    known_ = {{rule, 1, true}};
    best_ = {0, of_rule};
    while (const auto next = cheapest_open()) {
      if (!goes_on()) break;
      known_[*next].open = expand(*next);
    }
    if (best_.at == 0) return the_rules();
    end_ = start + kFirst * limits_.seconds;
    const double here = last_ratio(of_rule, best_.racer);
    if (!wins_at_last(here)) return the_rules();
    end_ = start + limits_.seconds;
    const double elsewhere = ratio_elsewhere(rule, known_[best_.at].plan);
    if (!wins_at_last(elsewhere)) return the_rules();
    return {.plan = known_[best_.at].plan, .speedup = 1 / std::max(here, elsewhere), .tried = tried_};
  }

 private:
  static constexpr double kSampleSeconds = 3e-3;  // long against the clock, short against a time slice

  struct Known {
    Plan plan;
    double cost;  // its time over that of the rule's plan; infinite where it did not run
    bool open;    // it may have neighbours that are not known
  };
  struct Best {
    std::size_t at;
    Racer racer;
  };

  bool goes_on() const { return limits_.clock() < end_ && !limits_.stop(); }

  std::optional<std::size_t> cheapest_open() const {
    std::optional<std::size_t> cheapest;
    for (std::size_t i = 0; i < known_.size(); ++i) {
      if (!known_[i].open || known_[i].cost == kNever) continue;
      if (!cheapest || known_[i].cost < known_[*cheapest].cost) cheapest = i;
    }
    return cheapest;
  }

  // Tries the neighbours until one of them is the new best, whose own come first then. Whether any may be left.
  bool expand(std::size_t at) {
    for (Plan& plan : space_.neighbours(known_[at].plan)) {
      if (std::ranges::find(known_, plan, &Known::plan) != known_.end()) continue;
      if (!goes_on()) return true;
      known_.push_back({std::move(plan), kNever, true});
      if (wins(known_.back())) return true;
    }
    return false;
  }

  bool wins(Known& challenger) {
    try {
      auto work = space_.make(challenger.plan);
      if (!work) return false;
      Racer racer = racer_of(std::move(work), kSampleSeconds, limits_.clock);
      ++tried_;
      const auto [ratio, won] = race(racer);
      challenger.cost = ratio * known_[best_.at].cost;
      if (won) best_ = {known_.size() - 1, std::move(racer)};
      return won;
    } catch (const std::exception&) {
      challenger.cost = kNever;
      return false;
    }
  }

  // Against the best: over as soon as the pairs leave no doubt, the more of them the smaller differences.
  std::pair<double, bool> race(const Racer& challenger) const {
    constexpr std::size_t kFew = 3, kMany = 7;
    constexpr double kSlack = 0.1;   // so far a single pair may be spoilt
    constexpr double kGain = 0.005;  // less is not worth the pairs that it would take to know
    Duel duel(best_.racer, challenger, limits_.clock);
    do {
      duel.add_pair();
      const double slack = kSlack / static_cast<double>(duel.pairs());
      if (duel.best_ratio() > 1 + slack) return {duel.ratio(), false};
      if (duel.pairs() < kFew) continue;
      if (duel.ratio() > 1 - kGain) return {duel.ratio(), false};
      if (duel.worst_ratio() < 1 - slack) return {duel.ratio(), true};
    } while (duel.pairs() < kMany && goes_on());
    return {duel.ratio(), duel.pairs() == kMany};
  }

  double last_ratio(const Racer& of_rule, const Racer& of_best) const {
    constexpr std::size_t kLeast = 3, kMost = 21;
    Duel duel(of_rule, of_best, limits_.clock);
    do {
      duel.add_pair();
    } while (!limits_.stop() && (duel.pairs() < kLeast || (duel.pairs() < kMost && goes_on())));
    return duel.ratio();
  }

  double ratio_elsewhere(const Plan& rule, const Plan& best) {
    space_.move();
    const Racer of_rule = racer_of(space_.make(rule), kSampleSeconds, limits_.clock);
    const Racer of_best = racer_of(space_.make(best), kSampleSeconds, limits_.clock);
    return last_ratio(of_rule, of_best);
  }

  bool wins_at_last(double ratio) const { return !limits_.stop() && ratio <= 1 - kSearchMargin; }

  SearchResult<Plan> the_rules() const { return {.plan = known_.front().plan, .tried = tried_}; }

  static constexpr double kNever = std::numeric_limits<double>::infinity();

  PlanSpace<Plan> space_;
  SearchLimits limits_;
  std::vector<Known> known_;  // the rule's plan is the first
  Best best_;
  double end_ = 0;
  int tried_ = 0;
};

}  // namespace brickwork
