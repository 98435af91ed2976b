# Replays traces with Apache TVM: reads a JSON list of {"func": text, "trace":
# trace} from standard input and writes a list of {"ok": bool, "text": text},
# the scheduled function or the first line of the error.
import json
import sys

import tvm
from tvm import s_tir
from tvm.script import from_source
from tvm.s_tir.schedule import Trace


# Some releases register scalar nodes of index maps under another prefix and
# keep the value of an integer in a node of its own.
PREFIX = type(tvm.tirx.Var("i", "int32") // 2).__tvm_ffi_type_info__.type_key.split(".")[0]


def graph(text):
    g = json.loads(text)
    for n in list(g["nodes"]):
        if PREFIX == "prim" and n["type"] == "ir.IntImm":
            g["nodes"].append({"type": "int", "data": n["data"]["value"]})
            n["data"]["value"] = len(g["nodes"]) - 1
        if n["type"].startswith("tirx.") and n["type"] != "tirx.IndexMap":
            n["type"] = PREFIX + n["type"][4:]
    return json.dumps(g)


def respell(v):
    if isinstance(v, str):
        return graph(v) if v.startswith('{"root_index"') else v
    if isinstance(v, list):
        return [respell(x) for x in v]
    return v


def run(case):
    case["trace"] = respell(case["trace"])
    mod = tvm.IRModule({"main": from_source(case["func"])})
    sch = s_tir.Schedule(mod, debug_mask="all" if case.get("debug") else "none")
    try:
        Trace.apply_json_to_schedule(case["trace"], sch)
    except Exception as e:  # every refusal of TVM is an exception of its own
        lines = [l for l in str(e).splitlines() if l.strip()]
        return {"ok": False, "text": " | ".join(lines[:4])[:600]}
    return {"ok": True, "text": sch.mod["main"].script()}


json.dump([run(c) for c in json.load(sys.stdin)], sys.stdout)
