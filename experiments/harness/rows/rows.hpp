// What the rows of samples.csv say: of a contender on a problem, and of the machine beside it.
#pragma once
#include "experiments/harness/peaks/loaded_roof.hpp"
#include "experiments/harness/peaks/machine_peak.hpp"
#include "experiments/harness/peaks/memory_traffic.hpp"
#include "experiments/harness/peaks/stream_triad.hpp"
#include "experiments/harness/rows/samples_csv.hpp"
#include "experiments/harness/run/experiment.hpp"

namespace brickwork {

// The cells that all rows of a problem share.
Row problem_row(const Experiment&, const ProblemInfo&, const RunInfo&);

// The verdict's row, and without sample and seconds those of the timed runs.
Row run_row(Row problem, const ProblemInfo&, const ContenderInfo&, const Checked&);
Row pack_row(Row run);

Row fma_row(Row problem, const FmaPeak&);
Row loaded_roof_row(Row problem, const LoadedRoof&);
// Whose flop are the problem's, so that its speed is what a product would have that did nothing but read.
Row read_row(Row problem, const ProblemInfo&, const MemoryTraffic&);
Row traffic_row(Row problem, const ProblemInfo&, const MemoryTraffic&);
Row stream_row(Row problem, const StreamTriad&);
Row stream_row(const StreamTriad&);  // at the run's start and end

}  // namespace brickwork
