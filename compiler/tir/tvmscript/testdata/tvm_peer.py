"""The other side of TestTVM: prints functions as TVM does, then reads what Hone printed.

Writes one line of JSON {name: script} with scripts of functions and modules made by TVM. Then reads one line
{name: script} and answers with {name: difference} for each that TVM does not read, or reads as something else
than the function of that name; a name it did not make must print back as it was sent.
"""

import json
import sys

import tvm
from tvm import te, topi
from tvm.s_tir import Schedule
from tvm.script import from_source

FUNCS = {}


def op(name, fn, *shapes, dtype="float32"):
    ins = [te.placeholder(s, name="x%d" % i, dtype=dtype) for i, s in enumerate(shapes)]
    outs = fn(*ins)
    FUNCS[name] = te.create_prim_func(ins + list(outs if isinstance(outs, (list, tuple)) else [outs]))


op("matmul", topi.matmul, (64, 32), (32, 48))
op("batch_matmul", topi.nn.batch_matmul, (4, 64, 32), (4, 48, 32))
op("dense_int8", lambda a, b: topi.nn.dense(a, b, out_dtype="int32"), (64, 32), (48, 32), dtype="int8")
op("matmul_f16", topi.matmul, (64, 32), (32, 48), dtype="float16")
op("conv2d", lambda a, b: topi.nn.conv2d_nchw(a, b, 1, 1, 1), (1, 16, 14, 14), (32, 16, 3, 3))
op("conv2d_nhwc", lambda a, b: topi.nn.conv2d_nhwc(a, b, 2, 1, 1), (1, 14, 14, 16), (3, 3, 16, 32))
op("depthwise", lambda a, b: topi.nn.depthwise_conv2d_nchw(a, b, 1, 1, 1), (1, 16, 14, 14), (16, 1, 3, 3))
op("transposed", lambda a, b: topi.nn.conv2d_transpose_nchw(a, b, (2, 2), (1, 1), "float32", (0, 0)), (1, 16, 14, 14), (16, 32, 3, 3))
op("softmax", topi.nn.softmax, (8, 100))
op("max_pool", lambda a: topi.nn.pool2d(a, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), "max"), (1, 8, 14, 14))
op("avg_pool", lambda a: topi.nn.pool2d(a, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), "avg"), (1, 8, 14, 14))
op("argmax", lambda a: topi.argmax(a, axis=1), (8, 100))
op("layer_norm", lambda a, g, b: topi.nn.layer_norm(a, g, b, [1], 2.0**-16), (8, 100), (100,), (100,))
op("erf", topi.erf, (8, 100))
op("sign", topi.sign, (8, 100))
op("isfinite", topi.isfinite, (8, 100))
op("gelu", topi.sigmoid, (8, 100))
op("power", topi.power, (8, 100), (100,))
op("mod", topi.mod, (8, 100), (100,))
op("floor_mod_int", topi.floor_mod, (8, 100), (1, 100), dtype="int32")
op("shift", topi.right_shift, (8, 100), (100,), dtype="int32")
op("reshape", lambda a: topi.reshape(a, (32, 16)), (4, 8, 16))
op("concat", lambda a, b: topi.concatenate((a, b), 1), (4, 8, 16), (4, 12, 16))
op("split", lambda a: topi.split(a, 2, 1), (4, 8, 16))
op("mirror_pad", lambda a: topi.nn.mirror_pad(a, (0, 1, 2), (0, 3, 4), "REFLECT"), (4, 8, 16))
op("where", lambda a, b: topi.where(topi.greater(a, 0.0), a, b), (4, 8), (4, 8))
op("resize", lambda a: topi.image.resize2d(a, [0.0] * 4, (28, 28)), (1, 4, 14, 14))
op("cast", lambda a: topi.cast(a, "int8"), (4, 8))

n32, n64 = te.var("n"), te.var("n", "int64")
for key, n in (("dynamic", n32), ("dynamic64", n64)):
    a, b = te.placeholder((n, 16), name="a"), te.placeholder((16, n * 2), name="b")
    FUNCS[key] = te.create_prim_func([a, b, topi.matmul(a, b)])

OBJECTS = dict(FUNCS)


def scheduled(name, func, steps):
    s = Schedule(FUNCS[func])
    steps(s)
    OBJECTS[name] = s.mod


def tiled(s):
    b = s.get_sblock("T_matmul")
    i, j, k = s.get_loops(b)
    i0, i1 = s.split(i, [None, 16])
    j0, j1 = s.split(j, [4, None])
    k0, k1 = s.split(k, [None, 5])
    s.reorder(i0, j0, k0, i1, k1, j1)
    s.parallel(i0)
    s.vectorize(j1)
    s.unroll(i1)
    s.annotate(k0, "pragma_auto_unroll_max_step", 16)
    s.decompose_reduction(b, k0)


def cached(s):
    b = s.get_sblock("T_matmul")
    i, _, _ = s.get_loops(b)
    read, write = s.cache_read(b, 0, "shared"), s.cache_write(b, 0, "local")
    i0, i1 = s.split(i, [None, 16])
    s.compute_at(read, i0)
    s.reverse_compute_at(write, i0)
    s.bind(i0, "blockIdx.x")
    s.bind(i1, "threadIdx.x")
    s.annotate(b, "meta_schedule.tiling_structure", "SSRSRS")
    s.storage_align(read, 0, 0, 32, 8)


def blockized(s):
    i, j, k = s.get_loops(s.get_sblock("T_matmul"))
    (i0, i1), (j0, j1), (k0, k1) = (s.split(x, [None, 16]) for x in (i, j, k))
    s.reorder(i0, j0, k0, i1, j1, k1)
    s.blockize(i1)


def packed(s):
    b = s.get_sblock("T_matmul")
    s.rfactor(s.split(s.get_loops(b)[2], [None, 4])[1], 0)
    s.transform_layout(b, ("read", 0), lambda *i: (*i[:-1], i[-1] // 4, i[-1] % 4))


def inlined(s):
    s.compute_inline(s.get_sblock("pad_temp"))
    loops = s.get_loops(s.get_sblock("conv2d_nchw"))
    s.parallel(s.split(s.fuse(*loops[:3]), [None, 7])[0])


scheduled("tiled", "matmul", tiled)
scheduled("cached", "matmul", cached)
scheduled("blockized", "matmul", blockized)
scheduled("packed", "matmul", packed)
scheduled("inlined", "conv2d", inlined)

print(json.dumps({k: v.script() for k, v in OBJECTS.items()}), flush=True)

report = {}
for name, script in json.loads(sys.stdin.readline()).items():
    try:
        back = from_source(script, check_well_formed=False)
        if name in OBJECTS:
            tvm.ir.assert_structural_equal(OBJECTS[name], back)
        elif back.script() != script:
            report[name] = "TVM prints it back as\n" + back.script()
    except Exception as e:  # whatever TVM raises is the answer
        report[name] = str(e)[-2000:]
print(json.dumps(report), flush=True)
