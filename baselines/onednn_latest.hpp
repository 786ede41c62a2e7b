// The newest oneDNN, in a process of its own: the package that there is of it brings the threads of SYCL and TBB. (A
// newer oneDNN for OpenMP needs no such thing: on CMAKE_PREFIX_PATH it takes the place of 3.2.)
#pragma once
#include "contender.hpp"

namespace brickwork {

inline constexpr const char* kOnednnLatestProgram = "brickwork-onednn-latest";  // beside the program that runs

// Path of the program beside the one that runs, or empty where there is none.
std::string program_beside(std::string_view name);

// `contender` as that program calls it: our baselines, compiled against the newest oneDNN.
template <Operation Op>
Contender<Op> onednn_latest(std::string name, const Contender<Op>& contender) {
  const std::string program = program_beside(kOnednnLatestProgram);
  Contender<Op> latest{.name = std::move(name), .library = {.name = "oneDNN", .version = {}, .absent = {}}};
  latest.elsewhere = Elsewhere{program, contender.name};
  if (program.empty()) {
    latest.library.absent =
        "built without the newest oneDNN: run scripts/setup --with-onednn-latest (2 GB), configure "
        "and build anew";
  }
  return latest;
}

}  // namespace brickwork
