// Why contenders have no times, for the screen. Each reason is shown once, on the problem where it is first met.
#pragma once
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace brickwork {

struct Refused {
  std::string contender, status, reason;
};

class Refusals {
 public:
  // The refusals of one problem; one line for each status and reason that is new for a contender.
  std::vector<std::string> first_met(const std::string& problem, const std::vector<Refused>&);

 private:
  std::set<std::tuple<std::string, std::string, std::string>> met_;
};

}  // namespace brickwork
