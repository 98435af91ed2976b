# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 32), "float32"), B: T.Buffer((32, 64), "float32"), bias: T.Buffer((64,), "float32"), D: T.Buffer((64, 64), "float32")):
    T.func_attr({"tirx.noalias": True})
    # with T.sblock("root"):
    C = T.sblock_alloc_buffer((64, 64))
    E = T.sblock_alloc_buffer((64, 64))
    for i0, i1, k0 in T.grid(64, 64, 32):
        with T.sblock("mm"):
            v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
            T.reads(A[v_i0, v_k0], B[v_k0, v_i1])
            T.writes(C[v_i0, v_i1])
            with T.init():
                C[v_i0, v_i1] = T.float32(0.0)
            C[v_i0, v_i1] = C[v_i0, v_i1] + A[v_i0, v_k0] * B[v_k0, v_i1]
    for i0, i1 in T.grid(64, 64):
        with T.sblock("add"):
            v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
            T.reads(C[v_i0, v_i1], bias[v_i1])
            T.writes(E[v_i0, v_i1])
            E[v_i0, v_i1] = C[v_i0, v_i1] + bias[v_i1]
    for i0, i1 in T.grid(64, 64):
        with T.sblock("relu"):
            v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
            T.reads(E[v_i0, v_i1])
            T.writes(D[v_i0, v_i1])
            D[v_i0, v_i1] = T.max(E[v_i0, v_i1], T.float32(0.0))
