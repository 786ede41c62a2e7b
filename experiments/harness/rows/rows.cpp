#include "experiments/harness/rows/rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/harness/terminal/progress.hpp"

namespace brickwork {
namespace {

Row limit_row(Row row, const char* pass, const char* name, std::string isa, double flop) {
  row.primitive = "machine";
  row.pass = pass;
  row.contender = row.backend = name;
  row.isa = std::move(isa);
  row.phase = "run";
  row.status = to_string(Status::ok);
  row.flop = row.least_flop = flop;
  return row;
}

}  // namespace

Row problem_row(const Experiment& experiment, const ProblemInfo& problem, const RunInfo& info) {
  Row row;
  row.problem = problem.id;
  row.name = problem.name;
  row.count = problem.count;
  row.sizes = problem.sizes;
  row.primitive = experiment.primitive();
  row.pass = experiment.pass();
  row.dtype = problem.dtype;
  row.bound = to_string(problem.bound);
  auto setting = problem.setting;
  setting.push_back(fmt::format("{} thread{}", info.threads, info.threads > 1 ? "s" : ""));
  setting.push_back(fmt::format("{} cache", info.cache));
  setting.push_back(problem.dtype);
  row.setting = fmt::format("{}", fmt::join(setting, ", "));
  return row;
}

Row run_row(Row row, const ProblemInfo& problem, const ContenderInfo& contender, const Checked& checked) {
  row.contender = contender.name;
  row.ours = contender.ours ? "yes" : "no";
  row.backend = contender.library.name;
  row.version = contender.library.version;
  row.device = contender.device;
  if (const auto& prepared = checked.prepared) {
    row.implementation = prepared->implementation();
    row.plan = prepared->plan();
    row.plan_seconds = prepared->plan_seconds();
    row.isa = prepared->isa();
    row.tuning = prepared->tuning();
  }
  row.phase = "run";
  row.status = to_string(checked.verdict.status);
  row.reason = checked.verdict.reason;
  row.max_error = checked.verdict.max_error;
  row.flop = problem.flop;
  row.least_flop = contender.least_share * problem.least_flop;
  row.bytes = problem.bytes;
  row.peak_bytes = checked.peak_bytes;
  return row;
}

Row pack_row(Row row) {
  row.phase = "pack";
  row.flop = row.least_flop = row.bytes = row.peak_bytes = row.plan_seconds = std::nullopt;
  return row;
}

Row fma_row(Row row, const FmaPeak& fma) {
  return limit_row(std::move(row), "fma", kFmaPeakName, fma.isa(), fma.flop());
}

Row loaded_roof_row(Row row, const LoadedRoof& roof) {
  return limit_row(std::move(row), "fma-loaded", kLoadedRoofName, roof.isa(), roof.flop());
}

Row read_row(Row row, const ProblemInfo& problem, const MemoryTraffic& read) {
  row = limit_row(std::move(row), "read", kReadName, read.isa(), problem.flop);
  row.bytes = problem.bytes + problem.rereads.all();
  return row;
}

Row traffic_row(Row row, const ProblemInfo& problem, const MemoryTraffic& traffic) {
  row = limit_row(std::move(row), "traffic", kTrafficName, traffic.isa(), problem.flop);
  row.implementation = traffic.past_caches() ? "stores past the caches" : "stores";
  row.bytes = problem.bytes;
  return row;
}

Row stream_row(const StreamTriad& triad) {
  Row row;
  row.problem = row.name = kStreamName;
  return stream_row(std::move(row), triad);
}

Row stream_row(Row row, const StreamTriad& triad) {
  row.contender = row.backend = row.pass = kStreamName;
  row.primitive = "machine";
  row.implementation = triad.stores();
  row.phase = "run";
  row.status = to_string(Status::ok);
  row.flop = row.least_flop = triad.flop();
  row.bytes = triad.bytes();
  return row;
}

}  // namespace brickwork
