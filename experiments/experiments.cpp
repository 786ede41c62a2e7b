#include "experiments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "names.hpp"
#include "shapes.hpp"

namespace brickwork {
namespace {

struct Entry {
  std::string name, about;
  std::unique_ptr<Experiment> (*make)(const Options&);
  std::vector<std::pair<std::string, std::string>> (*availability)(const Options&);
};

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries{
      {"conv-forward", "convolution forward, a network's layers", make_conv_forward_experiment,
       conv_forward_availability},
      {"brgemm", "the kernel itself on one core", make_brgemm_experiment, brgemm_availability},
  };
  return entries;
}

std::vector<std::string> layer_names(const std::string& shape_set) {
  std::ifstream in(find_shapes(shape_set));
  std::string header;
  std::getline(in, header);
  in.seekg(0);
  std::vector<std::string> names;
  if (header.find(",C,") != std::string::npos) {
    for (const auto& p : read_conv_shapes(in, shape_set, 1, {})) names.push_back(p.name);
  } else {
    for (const auto& p : read_brgemm_shapes(in, shape_set)) names.push_back(p.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const auto& entry : table()) names.push_back(entry.name);
  return names;
}

std::unique_ptr<Experiment> make_experiment(const Options& options) {
  require_known("experiment", options.experiment, experiment_names());
  for (const auto& entry : table()) {
    if (entry.name == options.experiment) return entry.make(options);
  }
  return nullptr;  // not reached: the name is known
}

void print_list(const Options& options) {
  for (const auto& entry : table()) {
    if (!options.experiment.empty() && options.experiment != entry.name) continue;
    fmt::print("experiment {}: {}\n", entry.name, entry.about);
    for (const auto& [name, reason] : entry.availability(options)) {
      fmt::print("  contender {:<15} {}\n", name, reason.empty() ? "available" : "not available: " + reason);
    }
  }
  for (const auto& set : shape_set_names()) {
    const auto names = layer_names(set);
    constexpr std::size_t shown = 24;
    fmt::print(
        "shape set {} ({} problems): {}{}\n", set, names.size(),
        fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(shown, names.size())), " "),
        names.size() > shown ? " ..." : "");
  }
}

}  // namespace brickwork
