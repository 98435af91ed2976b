"""Rewrites what TVM says about the functions in this directory, below "# ----".

    python3 record.py regions/*.py flags/*.py work/*.py lca/*.py

Needs apache-tvm 0.27.
"""
import os
import sys

import tvm
import tvm.script
import tvm_ffi
import tvm.s_tir.analysis as analysis
from tvm.s_tir import Schedule
from tvm.script import tirx as T


def regions(func, _):
    kept = ("T.reads(", "T.writes(", "with T.sblock(")
    return [s for s in map(str.strip, func.script().split("\n")) if s.startswith(kept)]


def flags(func, _):
    sch = Schedule(func)
    name = list(sch.mod.functions.keys())[0].name_hint
    reduction = tvm_ffi.get_global_func("s_tir.schedule.IsReductionBlock")
    out = []

    def visit(block, scope):
        f = sch.state._get_cached_flags(sch.get_sref(block))
        line = f"{sch.get(block).name_hint} affine={f.affine_binding} cover={f.region_cover} pipeline={f.stage_pipeline}"
        if scope is not None:
            try:
                line += f" reduction={reduction(sch, block, scope)}"
            except Exception:  # a store that the block does not declare
                line += " reduction=False"
        out.append(line)
        for child in sch.get_child_blocks(block):
            visit(child, block)

    visit(sch.get_sblock("root", name), None)
    return out


def work(func, _):
    mod = tvm.IRModule({"main": func})
    anchor = analysis.find_anchor_sblock(mod)
    return [f"flops={analysis.estimate_tir_flops(mod):.0f}", f"anchor={anchor.name_hint if anchor is not None else '-'}"]


def lca(func, _):
    def place(s):
        if s is None:
            return "function"
        return "for " + s.loop_var.name if type(s).__name__ == "For" else "SBlock " + s.name_hint

    return sorted(f"{b.name}: {place(s)}" for b, s in analysis.detect_buffer_access_lca(func).items())


for path in sys.argv[1:]:
    record = {"regions": regions, "flags": flags, "work": work, "lca": lca}[os.path.basename(os.path.dirname(os.path.abspath(path)))]
    source = open(path).read().split("# ----")[0].rstrip() + "\n"
    facts = record(tvm.script.from_source(source, {"T": T}), source)
    with open(path, "w") as f:
        f.write(source + "# ----\n" + "".join(f"# {x}\n" for x in facts))
