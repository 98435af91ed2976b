"""Writes reference.json: scheduled functions with the features that TVM computes.

    python3 reference.py > reference.json      # apache-tvm 0.27.0.post1, apache-tvm-ffi 0.1.14 (0.1.15 crashes)

Each entry has the TVMScript text of a scheduled function and, for each stored
buffer, the 164 columns of PerStoreFeature for an LLVM target.
"""
import json

import tvm
from tvm import te
from tvm.s_tir import Schedule
from tvm.s_tir import meta_schedule as ms


def matmul(n=128, m=128, k=128, relu=False):
    a = te.placeholder((n, k), name="A")
    b = te.placeholder((k, m), name="B")
    r = te.reduce_axis((0, k), name="k")
    c = te.compute((n, m), lambda i, j: te.sum(a[i, r] * b[r, j], axis=r), name="C")
    if not relu:
        return te.create_prim_func([a, b, c])
    d = te.compute((n, m), lambda i, j: te.max(c[i, j], 0.0), name="D")
    return te.create_prim_func([a, b, d])


def conv(h=14, ci=16, co=32):
    x = te.placeholder((h, h, ci), name="X")
    w = te.placeholder((3, 3, ci, co), name="W")
    pad = te.compute((h + 2, h + 2, ci), lambda i, j, c: te.if_then_else(te.all(i >= 1, i < h + 1, j >= 1, j < h + 1), x[i - 1, j - 1, c], 0.0), name="P")
    rh, rw, rc = te.reduce_axis((0, 3), name="rh"), te.reduce_axis((0, 3), name="rw"), te.reduce_axis((0, ci), name="rc")
    y = te.compute((h, h, co), lambda i, j, c: te.sum(pad[i + rh, j + rw, rc] * w[rh, rw, rc, c], axis=[rh, rw, rc]), name="Y")
    return te.create_prim_func([x, w, y])


def softmax(n=64, m=256):
    a = te.placeholder((n, m), name="A")
    k = te.reduce_axis((0, m), name="k")
    mx = te.compute((n,), lambda i: te.max(a[i, k], axis=k), name="M")
    e = te.compute((n, m), lambda i, j: te.exp(a[i, j] - mx[i]), name="E")
    k2 = te.reduce_axis((0, m), name="k2")
    s = te.compute((n,), lambda i: te.sum(e[i, k2], axis=k2), name="S")
    o = te.compute((n, m), lambda i, j: e[i, j] / s[i], name="O")
    return te.create_prim_func([a, o])


def tile_matmul(s, name="C"):
    c = s.get_sblock(name)
    i, j, k = s.get_loops(c)
    i0, i1, i2 = s.split(i, [4, 8, None])
    j0, j1, j2 = s.split(j, [2, 4, None])
    k0, k1 = s.split(k, [None, 16])
    s.reorder(i0, j0, i1, j1, k0, k1, i2, j2)
    return c, (i0, j0, i1, j1, k0, k1, i2, j2)


def schedules():
    yield "matmul", Schedule(matmul())
    s = Schedule(matmul())
    tile_matmul(s)
    yield "matmul tiled", s
    s = Schedule(matmul())
    c, (i0, j0, i1, j1, k0, k1, i2, j2) = tile_matmul(s)
    f = s.fuse(i0, j0)
    s.parallel(f)
    s.vectorize(j2)
    s.unroll(i2)
    s.annotate(f, "pragma_auto_unroll_max_step", 64)
    s.decompose_reduction(c, k0)
    yield "matmul parallel", s
    s = Schedule(matmul())
    c, (i0, j0, i1, j1, k0, k1, i2, j2) = tile_matmul(s)
    w = s.cache_write(c, 0, "global")
    s.reverse_compute_at(w, j1)
    s.decompose_reduction(c, k0)
    yield "matmul cache", s
    s = Schedule(matmul(relu=True))
    c, (i0, j0, i1, j1, k0, k1, i2, j2) = tile_matmul(s)
    s.reverse_compute_at(s.get_sblock("D"), j1)
    r = s.cache_read(c, 1, "global")
    s.compute_at(r, k0)
    yield "matmul relu", s
    s = Schedule(matmul(127, 125, 60))
    c = s.get_sblock("C")
    i, j, k = s.get_loops(c)
    i0, i1 = s.split(i, [None, 16])
    j0, j1 = s.split(j, [None, 8])
    s.reorder(i0, j0, k, i1, j1)
    yield "matmul imperfect", s
    yield "conv", Schedule(conv())
    s = Schedule(conv())
    y = s.get_sblock("Y")
    i, j, c, rh, rw, rc = s.get_loops(y)
    j0, j1 = s.split(j, [2, 7])
    c0, c1 = s.split(c, [None, 8])
    s.reorder(i, j0, c0, rc, rh, rw, j1, c1)
    s.compute_at(s.get_sblock("P"), j0)
    s.parallel(i)
    s.vectorize(c1)
    yield "conv tiled", s
    s = Schedule(conv())
    s.compute_inline(s.get_sblock("P"))
    yield "conv inlined", s
    yield "softmax", Schedule(softmax())
    s = Schedule(softmax())
    o = s.get_sblock("O")
    i, j = s.get_loops(o)
    for name in ("S", "E", "M"):
        s.compute_at(s.get_sblock(name), i)
    s.parallel(i)
    yield "softmax fused", s


def main():
    extractor = ms.feature_extractor.PerStoreFeature()
    out = []
    for name, s in schedules():
        context = ms.TuneContext(mod=s.mod, target=tvm.target.Target({"kind": "llvm", "num-cores": 4}), num_threads=1)
        rows = extractor.extract_from(context, [ms.MeasureCandidate(s, [])])[0].numpy()
        out.append({"name": name, "script": s.mod.script(), "rows": [[round(float(v), 6) for v in r] for r in rows]})
    print("[" + ",\n".join(json.dumps(o) for o in out) + "]")


main()
