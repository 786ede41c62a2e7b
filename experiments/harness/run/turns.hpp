// Which problem a run measures next: one after the other, or where another process drives it (--turns) the one that it
// names, so that of the two only one is at work at any time.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "experiments/harness/terminal/options.hpp"

namespace brickwork {

struct Turn {
  std::size_t problem = 0;
  std::optional<int> samples;  // as the driver says; else the run decides
};

// What goes between the two, each a line: the driver's request, and the answer once its rows are on the disk. Whatever
// else the driven process shows is no answer.
std::string turn_request(const Turn&);
std::string turn_answer(const Turn&);

class Turns {
 public:
  Turns(const Options&, std::size_t problems);

  // None after the last one, after an interrupt, and where the driver has no more. Throws std::runtime_error where it
  // asks for what there is not.
  std::optional<Turn> next();
  void done(const Turn&) const;

 private:
  std::optional<Turn> asked_for() const;

  bool driven_;
  std::size_t problems_, next_ = 0;
};

}  // namespace brickwork
