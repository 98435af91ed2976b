# Replays traces with Apache TVM: reads a JSON list of {"func": text, "trace":
# trace} from standard input and writes a list of {"ok": bool, "text": text},
# the scheduled function or the first line of the error.
import json
import sys

import tvm
from tvm import s_tir
from tvm.script import from_source
from tvm.s_tir.schedule import Trace


def run(case):
    mod = tvm.IRModule({"main": from_source(case["func"])})
    sch = s_tir.Schedule(mod, debug_mask="all" if case.get("debug") else "none")
    try:
        Trace.apply_json_to_schedule(case["trace"], sch)
    except Exception as e:  # every refusal of TVM is an exception of its own
        lines = [l for l in str(e).splitlines() if l.strip()]
        return {"ok": False, "text": " | ".join(lines[:4])[:600]}
    return {"ok": True, "text": sch.mod["main"].script()}


json.dump([run(c) for c in json.load(sys.stdin)], sys.stdout)
