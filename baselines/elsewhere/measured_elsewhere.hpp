// A contender that another program of ours measures, in the same folder as the running one (contender.hpp, Elsewhere).
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "baselines/contender/contender.hpp"

namespace brickwork {

// Path of the program in the folder of the running one; empty if there is none.
std::string program_beside(std::string_view name);

// `elsewhere.program` is the program's name here. If it does not exist, the contender is absent, and its reason names
// the `option` of scripts/setup that brings its sources.
template <Operation Op>
Contender<Op> measured_elsewhere(std::string name, std::string library, std::string_view what, std::string_view option,
                                 Elsewhere elsewhere) {
  elsewhere.program = program_beside(elsewhere.program);
  Contender<Op> contender{.name = std::move(name),
                          .library = {.name = std::move(library), .version = {}, .absent = {}}};
  if (elsewhere.program.empty()) {
    contender.library.absent = "built without " + std::string(what) + ": run scripts/setup " + std::string(option) +
                               ", configure and build again";
  }
  contender.elsewhere = std::move(elsewhere);
  return contender;
}

}  // namespace brickwork
