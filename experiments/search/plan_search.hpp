// Searches for the fastest plan of one problem by running plans, for any type of plan.
//
// The search starts from the default plan and goes best-first from neighbour to neighbour. Each plan races against the
// best one so far, and a race ends as soon as the plan is no longer promising. Among hundreds of equal plans the
// luckiest looks faster than it is, so the winner and the default plan are then measured against each other twice, the
// second time with tensors at other addresses: addresses decide what collides in a cache, which is some percent of a
// layer's time. A tie goes to the default plan.
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
  // Returns a function that runs the plan, or null if the plan does not fit the problem. A plan whose making or running
  // throws is skipped, too.
  std::function<std::function<void()>(const Plan&)> make;
  // Plans that are made after this call have tensors at other addresses than those made before.
  std::function<void()> move;
};

struct SearchLimits {
  double seconds;  // for the whole search; its last call, or with slow plans the last few, may end later
  RaceClock clock;
  std::function<bool()> stop;  // asked before every pair of samples; if true, the search ends with the default plan
};

template <class Plan>
struct SearchResult {
  Plan plan;
  double speedup =
      1;          // over the default plan, the smaller of the two final measurements; 1 for the default plan itself
  int tried = 0;  // number of plans that ran, without the default one
};

// A winner must save at least this share of the time of the default plan in both final measurements.
constexpr double kSearchMargin = 0.01;

template <class Plan>
class PlanSearch {
 public:
  PlanSearch(PlanSpace<Plan> space, SearchLimits limits) : space_(std::move(space)), limits_(std::move(limits)) {}

  // Throws what making or running the default plan throws; std::invalid_argument if that plan does not fit the problem.
  SearchResult<Plan> run(const Plan& rule) {
    // Shares of the time: the search ends at kSearch, the first final measurement at kFirst; the second one has the
    // rest.
    constexpr double kSearch = 0.7, kFirst = 0.85;
    const double start = limits_.clock();
    end_ = start + kSearch * limits_.seconds;
    auto work = space_.make(rule);
    if (!work) throw std::invalid_argument("the default plan cannot run");
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
  static constexpr double kSampleSeconds = 3e-3;  // much more than the clock's resolution, less than a time slice

  struct Known {
    Plan plan;
    double cost;  // its time divided by that of the default plan; infinite if it did not run
    bool open;    // it may have neighbours that are not yet known
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

  // Tries the neighbours until one of them is the new best: then its own neighbours come first. Returns whether some
  // neighbours may be left.
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

  // Races a plan against the best one. Ends as soon as the pairs leave no doubt; small differences take more pairs.
  std::pair<double, bool> race(const Racer& challenger) const {
    constexpr std::size_t kFew = 3, kMany = 7;
    constexpr double kSlack = 0.1;   // a disturbance may change the ratio of a single pair by this much
    constexpr double kGain = 0.005;  // a smaller gain is not worth the pairs that it takes to see it
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
  std::vector<Known> known_;  // the default plan is the first
  Best best_;
  double end_ = 0;
  int tried_ = 0;
};

}  // namespace brickwork
