#include "experiments/harness/run/turns.hpp"

#include <fmt/format.h>

#include <iostream>
#include <sstream>
#include <stdexcept>

#include "experiments/harness/process/interrupt.hpp"
#include "experiments/harness/terminal/screen.hpp"

namespace brickwork {

std::string turn_request(const Turn& turn) { return fmt::format("{} {}", turn.problem, turn.samples.value_or(1)); }

std::string turn_answer(const Turn& turn) { return fmt::format("measured {}", turn.problem); }

Turns::Turns(const Options& options, std::size_t problems) : driven_(options.turns), problems_(problems) {}

std::optional<Turn> Turns::next() {
  if (interrupted()) return std::nullopt;
  if (driven_) return asked_for();
  if (next_ == problems_) return std::nullopt;
  return Turn{.problem = next_++, .samples = std::nullopt};
}

void Turns::done(const Turn& turn) const {
  if (driven_) show(turn_answer(turn) + "\n");
}

std::optional<Turn> Turns::asked_for() const {
  std::string line;
  if (!std::getline(std::cin, line) || interrupted()) return std::nullopt;
  std::istringstream words(line);
  Turn turn{.problem = problems_, .samples = 0};
  words >> turn.problem >> *turn.samples;
  if (turn_request(turn) != line || turn.problem >= problems_ || *turn.samples < 1) {
    throw std::runtime_error(
        fmt::format("--turns: '{}' is not the number of a problem, below {}, and a count of samples", line, problems_));
  }
  return turn;
}

}  // namespace brickwork
