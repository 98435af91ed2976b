# Plays traces with Apache TVM. Reads JSON lines {"func": text, "trace": trace,
# "ours": text or null}; for each writes a line:
#   ok     TVM performs the trace
#   text   the function it gives, or the start of its error
#   equal  "ours" is that function's text, or TVM reads it and finds it equal
#   trace  the trace as TVM records it
import functools
import json
import os
import sys

import tvm
from tvm import s_tir
from tvm_ffi import structural_equal
from tvm.s_tir.schedule import Trace
from tvm.script import from_source

sys.path.insert(0, os.path.dirname(__file__))
from tvm_replay import isolated, register_intrinsics, respell


parse = functools.cache(from_source)  # reading is what costs time


def run(case):
    mod = tvm.IRModule({"main": parse(case["func"])})
    sch = s_tir.Schedule(mod, debug_mask="none")
    try:
        Trace.apply_json_to_schedule(respell(case["trace"]), sch)
    except Exception as e:  # every refusal of TVM is an exception of its own
        lines = [l for l in str(e).splitlines() if l.strip()]
        return {"ok": False, "text": " | ".join(lines[:4])[:600]}
    text = sch.mod["main"].script()
    out = {"ok": True, "text": text, "equal": case.get("ours") == text}
    if case.get("ours") and not out["equal"]:
        try:
            ours = from_source(case["ours"])
            out["equal"] = bool(structural_equal(ours, sch.mod["main"]))
        except Exception as e:
            out["unread"] = str(e)[:300]
    try:
        out["trace"] = sch.trace.as_json()
    except Exception as e:
        out["unwritten"] = str(e)[:300]
    return out


register_intrinsics()
for line in sys.stdin:
    case = json.loads(line)
    parse(case["func"])  # here, so that the children need not
    print(json.dumps(isolated(run, case)), flush=True)
