"""Tunes one convolution with TVM's MetaSchedule, and keeps the best code as a shared library.

Run with one argument, a JSON object:
  sizes             N, C, K (in blocks of bc and bk), H, W (with the padding), P, Q, R, S, stride_h, stride_w, bc, bk
  bias, residual, relu
                    which steps follow the sum
  trials, threads   how many schedules are measured, on how many threads
  library, record   where the code goes, and then a JSON object with `seconds` and `plan`
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

import tvm
from tvm import te

# A tuning context imports the tensor instructions of all devices, which takes 20 s. Products of floats use none.
sys.modules["tvm.s_tir.tensor_intrin"] = ModuleType("tvm.s_tir.tensor_intrin")

from tvm.s_tir import meta_schedule as ms  # noqa: E402

PREFIX = "meta_schedule."  # of the names of annotations


def convolution(task: dict) -> tvm.IRModule:
    """Sums, and the steps behind them, over blocked tensors whose padding is stored."""
    z = task["sizes"]
    src = te.placeholder((z["N"], z["C"], z["H"], z["W"], z["bc"]), name="src")
    weights = te.placeholder((z["K"], z["C"], z["R"], z["S"], z["bc"], z["bk"]), name="weights")
    dst_shape = (z["N"], z["K"], z["P"], z["Q"], z["bk"])
    bias = te.placeholder((z["K"], z["bk"]), name="bias")
    residual = te.placeholder(dst_shape, name="residual")
    axes = [te.reduce_axis((0, z[size]), name=size) for size in ("C", "R", "S", "bc")]

    def products(n, kb, p, q, k):
        cb, r, s, c = axes
        pixel = src[n, cb, p * z["stride_h"] + r, q * z["stride_w"] + s, c]
        return te.sum(pixel * weights[kb, cb, r, s, c, k], axis=axes)

    sums = te.compute(dst_shape, products, name="sums")

    def steps(n, kb, p, q, k):
        value = sums[n, kb, p, q, k]
        if task["bias"]:
            value = value + bias[kb, k]
        if task["residual"]:
            value = value + residual[n, kb, p, q, k]
        return te.max(value, tvm.tirx.const(0, "float32")) if task["relu"] else value

    has_steps = task["bias"] or task["residual"] or task["relu"]
    dst = te.compute(dst_shape, steps, name="dst") if has_steps else sums
    optional = [tensor for tensor in (bias, residual) if task[tensor.op.name]]
    arguments = [src, weights, *optional, dst]
    return tvm.IRModule({"main": te.create_prim_func(arguments)})


def this_processor(threads: int) -> tvm.target.Target:
    """The processor that LLVM finds here; the target's cores are the threads of a parallel loop."""
    cpu = tvm.get_global_func("target.llvm_get_system_cpu")()
    return tvm.target.Target({"kind": "llvm", "mcpu": cpu, "num-cores": threads})


def compiled(module: tvm.IRModule, target: tvm.target.Target, _parameters=None):
    """As TVM's own builder, without its import of all tensor instructions, in each of its processes."""
    return tvm.compile(module, target=target).mod


def tuned(module: tvm.IRModule, target: tvm.target.Target, trials: int, threads: int, folder: str):
    """The database of the measured schedules."""
    # Few trials need no population of 512 schedules, which takes half a minute to draw.
    strategy = ms.search_strategy.EvolutionarySearch(population_size=min(512, 32 * trials))
    space = ms.space_generator.PostOrderApply(sch_rules="llvm", postprocs="llvm", mutator_probs="llvm")
    return ms.tir_integration.tune_tir(
        module,
        target,
        folder,
        max_trials_global=trials,
        num_trials_per_iter=min(trials, 16),
        builder=ms.builder.LocalBuilder(max_workers=threads, timeout_sec=120, f_build=compiled),
        runner=ms.runner.LocalRunner(timeout_sec=120),
        cost_model=ms.cost_model.XGBModel(num_tuning_cores=threads),
        space=space,
        strategy=strategy,
        num_tuning_cores=threads,
        seed=1,
    )


def summary(trace) -> str:
    """The tiles of each loop from the outermost part to the innermost, and what is parallel, vectorised and unrolled."""
    drawn = {}  # of each variable that a random choice has set
    tiles = []
    notes = {}
    for step in trace.insts:
        if step.kind.name == "SamplePerfectTile":
            tiles.append("x".join(str(part) for part in trace.decisions[step]))
        elif step.kind.name == "SampleCategorical":
            drawn[step.outputs[0]] = step.attrs[0][int(trace.decisions[step])]
        elif step.kind.name == "Annotate" and str(step.attrs[0]).startswith(PREFIX):
            value = step.inputs[1]
            notes[str(step.attrs[0]).removeprefix(PREFIX)] = drawn.get(value, value)
    shown = [f"{name}={notes[name]}" for name in ("parallel", "vectorize", "unroll_explicit") if name in notes]
    return " ".join(["tiles=" + ",".join(tiles), *shown])


def write(path: Path, content: str) -> None:
    """Under another name first, so that no run reads half a file."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_text(content)
    unfinished.rename(path)


def main() -> None:
    task = json.loads(sys.argv[1])
    start = time.monotonic()
    module = convolution(task)
    target = this_processor(task["threads"])
    with tempfile.TemporaryDirectory() as folder:
        database = tuned(module, target, task["trials"], task["threads"], folder)
        best = ms.tir_integration.compile_tir(database, module, target)
    if best is None:
        sys.exit(
            f"none of {task['trials']} schedules could be built and run; TVM needs a C++ compiler (g++ or clang++) to link"
        )
    seconds = time.monotonic() - start
    library = Path(task["library"])
    unfinished = library.with_name(f"{os.getpid()}-{library.name}")
    tvm.compile(best.mod, target=target).export_library(str(unfinished))
    unfinished.rename(library)
    write(Path(task["record"]), json.dumps({"seconds": seconds, "plan": summary(best.trace)}))


if __name__ == "__main__":
    main()
