# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def main(X: T.Buffer((8, 20), "float32"), Y: T.Buffer((8, 20), "float32")):
    T.func_attr({"tirx.noalias": True})
    # with T.sblock("root"):
    mx = T.sblock_alloc_buffer((8,))
    ex = T.sblock_alloc_buffer((8, 20))
    sm = T.sblock_alloc_buffer((8,))
    for i0, k0 in T.grid(8, 20):
        with T.sblock("max"):
            v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
            T.reads(X[v_i0, v_k0])
            T.writes(mx[v_i0])
            with T.init():
                mx[v_i0] = T.float32(-340282346638528859811704183484516925440.0)
            mx[v_i0] = T.max(mx[v_i0], X[v_i0, v_k0])
    for i0, i1 in T.grid(8, 20):
        with T.sblock("exp"):
            v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
            T.reads(X[v_i0, v_i1], mx[v_i0])
            T.writes(ex[v_i0, v_i1])
            ex[v_i0, v_i1] = T.exp(X[v_i0, v_i1] - mx[v_i0])
    for i0, k0 in T.grid(8, 20):
        with T.sblock("sum"):
            v_i0, v_k0 = T.axis.remap("SR", [i0, k0])
            T.reads(ex[v_i0, v_k0])
            T.writes(sm[v_i0])
            with T.init():
                sm[v_i0] = T.float32(0.0)
            sm[v_i0] = sm[v_i0] + ex[v_i0, v_k0]
    for i0, i1 in T.grid(8, 20):
        with T.sblock("norm"):
            v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
            T.reads(ex[v_i0, v_i1], sm[v_i0])
            T.writes(Y[v_i0, v_i1])
            Y[v_i0, v_i1] = ex[v_i0, v_i1] / sm[v_i0]
