"""Runs functions compiled by TVM for the CPU, for TestAgainstTVM.

Writes one line of JSON for each: name, script, and the arguments before and after as {dtype, shape, data in base64}.
"""

import base64
import json

import numpy as np
import tvm
from tvm import te, topi
from tvm.s_tir import Schedule

RNG = np.random.default_rng(1)
FUNCS = {}


def op(name, fn, *shapes, dtype="float32"):
    ins = [te.placeholder(s, name="x%d" % i, dtype=dtype) for i, s in enumerate(shapes)]
    outs = fn(*ins)
    FUNCS[name] = te.create_prim_func(ins + list(outs if isinstance(outs, (list, tuple)) else [outs]))


op("matmul", topi.matmul, (13, 17), (17, 12))
op("dense_int8", lambda a, b: topi.nn.dense(a, b, out_dtype="int32"), (5, 9), (6, 9), dtype="int8")
op("conv2d", lambda a, b: topi.nn.conv2d_nchw(a, b, 2, 1, 1), (1, 4, 7, 7), (6, 4, 3, 3))
op("depthwise", lambda a, b: topi.nn.depthwise_conv2d_nchw(a, b, 1, 1, 1), (1, 4, 7, 7), (4, 1, 3, 3))
op("transposed", lambda a, b: topi.nn.conv2d_transpose_nchw(a, b, (2, 2), (1, 1), "float32", (0, 0)), (1, 3, 5, 5), (3, 4, 3, 3))
op("softmax", topi.nn.softmax, (4, 33))
op("max_pool", lambda a: topi.nn.pool2d(a, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), "max"), (1, 3, 9, 9))
op("avg_pool", lambda a: topi.nn.pool2d(a, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), "avg"), (1, 3, 9, 9))
op("argmax", lambda a: topi.argmax(a, axis=1), (4, 33))
op("layer_norm", lambda a, g, b: topi.nn.layer_norm(a, g, b, [1], 2.0**-16), (4, 33), (33,), (33,))
for unary in ("exp", "tanh", "sigmoid", "erf", "sqrt", "floor", "ceil", "round", "sign", "log", "cos", "rsqrt", "trunc"):
    op(unary, getattr(topi, unary), (4, 33))
for binary in ("power", "mod", "divide", "maximum", "greater"):
    op(binary, getattr(topi, binary), (4, 33), (33,))
for binary in ("floor_divide", "floor_mod", "left_shift", "bitwise_xor", "minimum", "subtract"):
    op(binary + "_int", getattr(topi, binary), (4, 33), (33,), dtype="int32")
op("cast_int8", lambda a: topi.cast(a, "int8"), (4, 33))
op("half", lambda a, b: topi.add(topi.multiply(a, b), a), (4, 33), (4, 33), dtype="float16")
op("gather", lambda a: topi.flip(topi.transpose(a, (1, 0)), 1), (4, 33))
op("resize", lambda a: topi.image.resize2d(a, [0.0] * 4, (9, 9)), (1, 2, 5, 5))


def scheduled(name, func, steps):
    s = Schedule(FUNCS[func])
    steps(s)
    FUNCS[name] = s.mod["main"]


def tiled(s):
    b = s.get_sblock("T_matmul")
    i, j, k = s.get_loops(b)
    i0, i1 = s.split(i, [None, 4])
    j0, j1 = s.split(j, [5, None])
    k0, k1 = s.split(k, [None, 5])
    s.reorder(i0, j0, k0, i1, k1, j1)
    s.parallel(i0)
    s.vectorize(j1)
    s.unroll(i1)
    s.decompose_reduction(b, k0)


def cached(s):
    b = s.get_sblock("T_matmul")
    read, write = s.cache_read(b, 0, "global"), s.cache_write(b, 0, "global")
    i0, i1 = s.split(s.get_loops(b)[0], [None, 4])
    s.compute_at(read, i0)
    s.reverse_compute_at(write, i0)
    s.parallel(i0)


def factored(s):
    s.rfactor(s.split(s.get_loops(s.get_sblock("T_matmul"))[2], [None, 4])[1], 0)


def fused(s):
    s.compute_at(s.get_sblock("pad_temp"), s.get_loops(s.get_sblock("conv2d_nchw"))[1])
    s.parallel(s.fuse(*s.get_loops(s.get_sblock("conv2d_nchw"))[:2]))


scheduled("matmul_tiled", "matmul", tiled)
scheduled("matmul_cached", "matmul", cached)
scheduled("matmul_factored", "matmul", factored)
scheduled("conv2d_fused", "conv2d", fused)


def value(param):
    shape, dtype = [int(n) for n in param.shape], str(param.dtype)
    if dtype.startswith("int"):
        return RNG.integers(1, 9, shape).astype(dtype)
    return RNG.uniform(0.1, 4.0, shape).astype(dtype)


def packed(a):
    return {"dtype": str(a.dtype), "shape": list(a.shape), "data": base64.b64encode(np.ascontiguousarray(a).tobytes()).decode()}


names = list(FUNCS)
module = tvm.compile(tvm.IRModule({n: FUNCS[n].with_attr("global_symbol", n) for n in names}), target="llvm")
for n in names:
    before = [value(p) for p in FUNCS[n].params]
    tensors = [tvm.runtime.tensor(a) for a in before]
    module[n](*tensors)
    print(json.dumps({"name": n, "script": FUNCS[n].script(), "before": [packed(a) for a in before], "after": [packed(t.numpy()) for t in tensors]}))
