"""Tunes one TVMScript function with MetaSchedule and times its best schedule on request.

usage: tune.py FILE TRIALS THREADS SEED MCPU SECONDS

The seconds of tuning go to the file SECONDS. Then it prints "ready"; "r N" on standard
input takes N samples (lines of nanoseconds per call), "done" ends the answer.
"""

import logging
import os
import sys
import tempfile
import time

import numpy as np
import tvm
from tvm import s_tir
from tvm.s_tir import meta_schedule as ms
from tvm.script import from_source


def arrays(func):
    """Operands of the shapes that the scheduled function wants: weights may be packed."""
    rng = np.random.default_rng(1)
    out = []
    for info in ms.arg_info.ArgInfo.from_prim_func(func):
        x = rng.standard_normal([int(d) for d in info.shape]).astype(str(info.dtype))
        out.append(tvm.runtime.tensor(x))
    return out


def prepare():
    """Registers a build without tensor intrinsics in each builder process.

    The default build imports the intrinsics of every target. Here that takes longer than
    a builder may work (30 s), in each new process of each batch, and none is used.
    """
    import tvm

    @tvm.register_global_func("bench.build", override=True)
    def build(mod, target, _params):
        from tvm.driver import build as compile_module
        from tvm.s_tir.transform import RemoveWeightLayoutRewriteBlock

        return compile_module(RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(mod), target=target)


def tune(mod, target, trials, seed):
    import tvm.s_tir.tensor_intrin  # noqa: F401  what the tuner itself imports: not on the clock

    with tempfile.TemporaryDirectory() as work:
        start = time.time()
        db = ms.tir_integration.tune_tir(
            mod, target, work_dir=work, max_trials_global=trials, num_trials_per_iter=min(64, trials), seed=seed,
            builder=ms.builder.LocalBuilder(initializer=prepare, f_build="bench.build"),
        )
        best = ms.tir_integration.compile_tir(db, mod, target)
        return best, time.time() - start


def main():
    path, trials, threads, seed, mcpu, wall = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6]
    os.environ["TVM_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(threads)
    logging.disable(logging.INFO)
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever the tuner prints goes to the error stream
    with open(path, encoding="utf-8") as f:
        lines = [line for line in f.read().splitlines() if not line.startswith(("from ", "import "))]
    func = from_source("\n".join(lines)).with_attr("global_symbol", "main")
    target = tvm.target.Target({"kind": "llvm", "mcpu": mcpu, "num-cores": threads})
    best, seconds = tune(tvm.IRModule({"main": func}), target, trials, seed)
    if best is None:
        sys.exit("MetaSchedule built and ran no candidate")
    with open(wall, "w", encoding="utf-8") as f:
        f.write(f"{seconds:.1f}")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    packed = s_tir.transform.RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(best.mod)
    lib = tvm.compile(packed, target=target).mod
    args = arrays(packed["main"])
    for _ in range(3):
        lib["main"](*args)
    once = lib.time_evaluator("main", tvm.cpu(0), number=1)(*args).mean
    number = max(1, int(1e-3 / once))
    print("ready", file=out)
    for line in sys.stdin:
        timer = lib.time_evaluator("main", tvm.cpu(0), number=number, repeat=int(line.split()[1]))
        for t in timer(*args).results:
            print(f"{t * 1e9:.1f}", file=out)
        print("done", file=out)


if __name__ == "__main__":
    main()
