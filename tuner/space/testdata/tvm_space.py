# Asks Apache TVM for design spaces: reads a JSON list of {"func": text, "target":
# {…}, "traces": [trace]} from standard input. For each it writes {"sketches":
# [trace], "done": [text]}: the sketches of the default lists for the target, and
# the function that each given trace and TVM's postprocessors make, or "error: …"
# and the first line of the refusal.
import json
import sys

import tvm
from tvm import s_tir
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.schedule import Trace
from tvm.script import from_source


def plain(v):
    if isinstance(v, dict):
        return {str(k): plain(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)) or type(v).__name__ in ("Array", "List"):
        return [plain(x) for x in v]
    if isinstance(v, (bool, int, float)):
        return v
    if hasattr(v, "value"):
        return v.value
    return None if v is None else str(v)


def finish(ctx, func, trace):
    sch = s_tir.Schedule(tvm.IRModule({"main": func}), debug_mask="none")
    try:
        Trace.apply_json_to_schedule(trace, sch)
        sch.enter_postproc()
        for p in ctx.space_generator.postprocs:
            if not p.apply(sch):
                return "error: rejected by " + str(p)
    except Exception as e:  # every refusal of TVM is an exception of its own
        return "error: " + " | ".join([l for l in str(e).splitlines() if l.strip()][:3])[:400]
    return sch.mod["main"].script()


def run(case):
    func = from_source(case["func"])
    ctx = ms.TuneContext(
        mod=tvm.IRModule({"main": func}),
        target=tvm.target.Target(case["target"]),
        space_generator=ms.space_generator.PostOrderApply(),
        task_name="main",
        rand_state=1,
        num_threads=1,
    )
    sketches = [plain(s.trace.simplified(True).as_json()) for s in ctx.generate_design_space()]
    return {"sketches": sketches, "done": [finish(ctx, func, t) for t in case.get("traces") or []]}


json.dump([run(c) for c in json.load(sys.stdin)], sys.stdout)
