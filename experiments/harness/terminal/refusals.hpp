// Why contenders have no times, for the screen: each reason in full where it is first met, and how often at the end.
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace brickwork {

struct Refused {
  std::string contender, status, reason;
};

class Refusals {
 public:
  // A problem's; a line for each status and reason that is new for somebody.
  std::vector<std::string> first_met(const std::string& problem, const std::vector<Refused>&);
  // A line for each that was met on several problems: of the others everything was said.
  std::vector<std::string> met_again() const;

 private:
  std::vector<Refused> order_;                                                         // as first met
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> problems_;  // of each, how many
};

}  // namespace brickwork
