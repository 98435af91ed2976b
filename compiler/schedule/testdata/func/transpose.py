# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def main(A: T.Buffer((12, 20), "float32"), C: T.Buffer((12, 20), "float32")):
    T.func_attr({"tirx.noalias": True})
    # with T.sblock("root"):
    B = T.sblock_alloc_buffer((20, 12))
    for i0, i1 in T.grid(20, 12):
        with T.sblock("tr"):
            v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
            T.reads(A[v_i1, v_i0])
            T.writes(B[v_i0, v_i1])
            B[v_i0, v_i1] = A[v_i1, v_i0]
    for i0, i1 in T.grid(12, 20):
        with T.sblock("back"):
            v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
            T.reads(B[v_i1, v_i0])
            T.writes(C[v_i0, v_i1])
            C[v_i0, v_i1] = B[v_i1, v_i0] + T.float32(1.0)
