# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), D: T.Buffer((16, 24), "float32")):
    T.func_attr({"tirx.noalias": True})
    # with T.sblock("root"):
    B = T.sblock_alloc_buffer((16, 24))
    C = T.sblock_alloc_buffer((16, 24))
    for i0, i1 in T.grid(16, 24):
        with T.sblock("double"):
            v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
            T.reads(A[v_i0, v_i1])
            T.writes(B[v_i0, v_i1])
            B[v_i0, v_i1] = A[v_i0, v_i1] * T.float32(2.0)
    for i0, i1 in T.grid(16, 24):
        with T.sblock("plus"):
            v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
            T.reads(B[v_i0, v_i1])
            T.writes(C[v_i0, v_i1])
            C[v_i0, v_i1] = B[v_i0, v_i1] + T.float32(1.0)
    for i0, i1 in T.grid(16, 24):
        with T.sblock("square"):
            v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
            T.reads(C[v_i0, v_i1])
            T.writes(D[v_i0, v_i1])
            D[v_i0, v_i1] = C[v_i0, v_i1] * C[v_i0, v_i1]
