# Structural equality as Apache TVM sees it: reads a JSON list of pairs of texts
# from standard input, writes a list of {"ok", "equal", "same_hash"}; ok says
# that TVM reads both.
import functools
import json
import sys

from tvm.script import from_source
from tvm_ffi import structural_equal, structural_hash


@functools.cache
def parse(text):
    return from_source(text)


out = []
for a, b in json.load(sys.stdin):
    try:
        x, y = parse(a), parse(b)
        out.append({
            "ok": True,
            "equal": bool(structural_equal(x, y)),
            "same_hash": structural_hash(x) == structural_hash(y),
        })
    except Exception as e:  # every refusal of TVM is an exception of its own
        out.append({"ok": False, "why": str(e)[-200:]})
json.dump(out, sys.stdout)
