// Makes the rows of samples.csv: of a contender on a problem, and of the machine's limits beside it.
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

// The row of the verdict; with a sample and seconds it becomes the row of a timed run.
Row run_row(Row problem, const ProblemInfo&, const ContenderInfo&, const Checked&);
Row pack_row(Row run);

Row fma_row(Row problem, const FmaPeak&);
Row loaded_roof_row(Row problem, const LoadedRoof&);
// The row has the problem's flop: its speed is that of a product that only reads its inputs and computes in no time.
Row read_row(Row problem, const ProblemInfo&, const MemoryTraffic&);
Row traffic_row(Row problem, const ProblemInfo&, const MemoryTraffic&);
Row stream_row(Row problem, const StreamTriad&);
Row stream_row(const StreamTriad&);  // at the run's start and end

}  // namespace brickwork
