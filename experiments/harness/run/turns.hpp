// The problem that a run measures next. By default this is the next one in the list. With --turns another process, the
// driver, names it and waits for the answer, so that only one of the two processes works at any time.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "experiments/harness/terminal/options.hpp"

namespace brickwork {

struct Turn {
  std::size_t problem = 0;
  std::optional<int> samples;  // as the driver asks; nullopt: the run decides
};

// The lines that the two processes exchange: the driver's request, and the answer after the rows are on the disk. The
// driver ignores all other lines.
std::string turn_request(const Turn&);
std::string turn_answer(const Turn&);

class Turns {
 public:
  Turns(const Options&, std::size_t problems);

  // Nullopt after the last problem, after an interrupt, and if the driver has no more requests. Throws
  // std::runtime_error if the driver asks for a problem that does not exist.
  std::optional<Turn> next();
  void done(const Turn&) const;

 private:
  std::optional<Turn> asked_for() const;

  bool driven_;
  std::size_t problems_, next_ = 0;
};

}  // namespace brickwork
