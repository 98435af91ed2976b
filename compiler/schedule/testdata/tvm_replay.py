# Performs schedules with Apache TVM: reads a JSON list of {"func": text,
# "script": text} or {"func": text, "trace": trace} from standard input and writes
# a list of {"ok": bool, "text": text}: what results, or the first lines of the
# error. With "steps", a list of lengths, it performs so many instructions of the
# trace and writes a list "facts" of what the schedule then holds of each block.
import json
import os
import sys

import tvm
from tvm import s_tir
from tvm.script import from_source
from tvm.script import tirx as T
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


def source(text):
    """The functions of a text without its imports, which from_source refuses."""
    lines = [l for l in text.splitlines() if not l.startswith(("from ", "import "))]
    return from_source("\n".join(lines))


def run(case):
    mod = source(case["func"])
    if not isinstance(mod, tvm.IRModule):
        mod = tvm.IRModule({"main": mod})
    if "steps" in case:
        return stepwise(case, mod)
    sch = s_tir.Schedule(mod, debug_mask="all" if case.get("debug") else "none")
    trace = respell(case.get("trace"))  # a failure of that is none of TVM's
    try:
        if "script" in case:
            exec(case["script"], {"sch": sch, "T": T, "tvm": tvm})
        else:
            Trace.apply_json_to_schedule(trace, sch)
    except Exception as e:  # every refusal of TVM is an exception of its own
        lines = [l for l in str(e).splitlines() if l.strip()]
        return {"ok": False, "text": " | ".join(lines[:4])[:600]}
    mod = sch.mod
    if len(mod.functions) == 1:
        mod = next(iter(mod.functions.values()))
    return {"ok": True, "text": mod.script().split("\n\n", 1)[1].rstrip("\n") + "\n"}


def stepwise(case, mod):
    sch = s_tir.Schedule(mod, debug_mask="none")
    done = s_tir.Schedule(mod, debug_mask="none")
    facts = []

    def before(inst, inputs, attrs, decision):
        facts.append(flags(sch) if len(facts) in case["steps"] else None)
        return decision

    trace = respell(case["trace"])
    try:
        Trace.apply_json_to_schedule(trace, done)
        done.trace.apply_to_schedule(sch, remove_postproc=False, decision_provider=before)
        facts.append(flags(sch))
    except Exception as e:
        return {"ok": False, "text": f"instruction {len(facts)}: {e}"[-600:]}
    return {"ok": True, "facts": [facts[n] for n in case["steps"]]}


def flags(sch):
    """One line a block, in the order of the text; initialisers hold none."""
    out = []

    def visit(s):
        if isinstance(s, s_tir.SBlockRealize):
            f = sch.state._get_cached_flags(sch.state.get_sref(s.block))
            out.append(f"{s.block.name_hint} affine={f.affine_binding} cover={f.region_cover} pipeline={f.stage_pipeline}")
            visit(s.block.body)
        elif isinstance(s, tvm.tirx.SeqStmt):
            for x in s.seq:
                visit(x)
        else:
            for name in ("body", "then_case", "else_case"):
                if hasattr(s, name):
                    visit(getattr(s, name))

    for name in sorted(v.name_hint for v in sch.mod.functions):
        visit(sch.mod[name].body)
    return out


def register_intrinsics():
    """The intrinsics of the folder intrin: description first."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "intrin")
    for name in sorted(os.listdir(here)):
        with open(os.path.join(here, name)) as f:
            desc, impl = f.read().split("\n\n", 1)
        s_tir.TensorIntrin.register(name[:-3], source(desc), source(impl))


def isolated(run, case):
    """run(case) in a process of its own: some calls crash TVM, which a signal tells."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        with os.fdopen(w, "w") as f:
            json.dump(run(case), f, default=lambda v: getattr(v, "value", str(v)))
        os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        out = f.read()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return {"ok": False, "text": "", "crashed": True}
    if status != 0:
        raise RuntimeError(f"the child ended with status {status}")
    return json.loads(out)


def run_all(cases):
    import tvm.s_tir.tensor_intrin  # registers TVM's own, which takes a minute

    register_intrinsics()
    return [isolated(run, c) for c in cases]


if __name__ == "__main__":
    json.dump(run_all(json.load(sys.stdin)), sys.stdout)
