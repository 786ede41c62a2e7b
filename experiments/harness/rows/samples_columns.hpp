// The columns of samples.csv, for its writer and its reader.
#pragma once
#include <optional>
#include <string>
#include <variant>

#include "experiments/harness/rows/samples_csv.hpp"

namespace brickwork {

// A cell is a member of the row, which a measurement finds, or a function of what the run knows before it measures.
struct Column {
  const char* name;
  std::variant<std::string (*)(const RunInfo&, const Row&), std::string Row::*, std::optional<double> Row::*,
               std::optional<int> Row::*>
      cell;
  bool is_number = false;  // of a function; the type of a member says it
};

// The columns before the problem's sizes, and those after them.
inline constexpr Column kColumnsBefore[] = {
    {"run", [](const RunInfo& i, const Row&) { return i.run; }},
    {"experiment", [](const RunInfo& i, const Row&) { return i.experiment; }},
    {"figure", [](const RunInfo& i, const Row&) { return i.figure; }},
    {"shapes", [](const RunInfo& i, const Row&) { return i.shapes; }},
    {"problems", [](const RunInfo& i, const Row&) { return i.shapes_size == 0 ? "" : std::to_string(i.shapes_size); },
     true},
    {"problem", &Row::problem},
    {"name", [](const RunInfo&, const Row& r) { return r.name; }},
    {"count", [](const RunInfo&, const Row& r) { return std::to_string(r.count); }, true},
};
inline constexpr Column kColumnsBehind[] = {
    {"primitive", &Row::primitive},
    {"pass", &Row::pass},
    {"contender", &Row::contender},
    {"ours", &Row::ours},
    {"backend", &Row::backend},
    {"version", &Row::version},
    {"implementation", &Row::implementation},
    {"device", [](const RunInfo&, const Row& r) { return r.device; }},
    {"isa", &Row::isa},
    {"dtype", [](const RunInfo&, const Row& r) { return r.dtype; }},
    {"threads", [](const RunInfo& i, const Row&) { return std::to_string(i.threads); }, true},
    {"cache", [](const RunInfo& i, const Row&) { return i.cache; }},
    {"setting", [](const RunInfo&, const Row& r) { return r.setting; }},
    {"phase", &Row::phase},
    {"plan", &Row::plan},
    {"tuning", &Row::tuning},
    {"status", &Row::status},
    {"reason", &Row::reason},
    {"max_error", &Row::max_error},
    {"sample", &Row::sample},
    {"seconds", &Row::seconds},
    {"bound", [](const RunInfo&, const Row& r) { return r.bound; }},
    {"flop", &Row::flop},
    {"least_flop", &Row::least_flop},
    {"bytes", &Row::bytes},
    {"peak_bytes", &Row::peak_bytes},
    {"plan_seconds", &Row::plan_seconds},
};

}  // namespace brickwork
