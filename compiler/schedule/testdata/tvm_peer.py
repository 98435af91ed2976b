# Plays traces with Apache TVM. Reads JSON lines {"func": text, "trace": trace,
# "ours": text or null}; for each writes a line:
#   ok         TVM performs the trace
#   text       the function it gives, or the start of its error
#   error      the kind of that error
#   equal      "ours" is that function's text, or TVM reads it and finds it equal
#   illformed  TVM's verifier objects to the function, or TVM does not read its
#              text back as the same, while neither is so of "ours"
#   trace      the trace as TVM records it
import functools
import json
import os
import sys

import tvm
from tvm import s_tir
from tvm_ffi import structural_equal
from tvm.s_tir.analysis import verify_well_formed
from tvm.s_tir.schedule import Trace
from tvm.script import from_source

sys.path.insert(0, os.path.dirname(__file__))
from tvm_replay import register_intrinsics, respell

parse = functools.cache(from_source)  # reading is what costs time


def reason(text):
    """What an error says, without the function that it quotes."""
    said = text[text.find("Error message") :] if "Error message" in text else text
    lines = [l for l in said.splitlines() if l.strip()]
    return " | ".join(lines[:4])[:600]


def wellformed(func):
    try:
        return verify_well_formed(func) and bool(structural_equal(from_source(func.script()), func))
    except Exception:  # it does not read
        return False


def run(case):
    mod = tvm.IRModule({"main": parse(case["func"])})
    sch = s_tir.Schedule(mod, debug_mask="none")
    trace = respell(case["trace"])  # a failure of that is none of TVM's
    try:
        Trace.apply_json_to_schedule(trace, sch)
    except Exception as e:  # every refusal of TVM is an exception of its own
        return {"ok": False, "text": reason(str(e)), "error": type(e).__name__}
    text = sch.mod["main"].script()
    out = {"ok": True, "text": text, "equal": case.get("ours") == text}
    if case.get("ours") and not out["equal"]:
        try:
            ours = from_source(case["ours"])
            out["equal"] = bool(structural_equal(ours, sch.mod["main"]))
            out["illformed"] = not out["equal"] and wellformed(ours) and not wellformed(sch.mod["main"])
        except Exception as e:
            out["unread"] = str(e)[:300]
    try:
        out["trace"] = sch.trace.as_json()
    except Exception as e:
        out["unwritten"] = str(e)[:300]
    return out


def answer(cases, say):
    """Answers in a child until it is through or a signal ends it; returns how many."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        with os.fdopen(w, "w") as f:
            for case in cases:
                text = json.dumps(run(case), default=lambda v: getattr(v, "value", str(v)))
                print(text, file=f, flush=True)
        os._exit(0)
    os.close(w)
    told = 0
    with os.fdopen(r) as f:
        for line in f:
            if line.endswith("\n"):  # else it crashed while writing
                say(line)
                told += 1
    _, status = os.waitpid(pid, 0)
    if told < len(cases) and not os.WIFSIGNALED(status):
        raise RuntimeError(f"case {told} of {len(cases)}: the child ended with status {status}")
    return told


# Some calls crash TVM: the child that does it is the last case's, the next child
# goes on behind it. A child starts anew after some cases, as TVM keeps what it read.
BATCH = 100

register_intrinsics()
cases = [json.loads(line) for line in sys.stdin]
for case in cases:
    parse(case["func"])  # here, so that the children need not
done = 0
while done < len(cases):
    batch = cases[done : done + BATCH]
    n = answer(batch, lambda line: print(line, end="", flush=True))
    if n < len(batch):
        print(json.dumps({"ok": False, "text": "", "crashed": True}), flush=True)
        n += 1
    done += n
