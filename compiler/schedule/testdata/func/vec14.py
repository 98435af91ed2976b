# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((14,), "float32"), C: T.Buffer((14,), "float32")):
    B = T.sblock_alloc_buffer((14,))
    for i in range(14):
        with T.sblock("B"):
            vi = T.axis.spatial(14, i)
            T.reads(A[vi])
            T.writes(B[vi])
            B[vi] = A[vi] * T.float32(2.0)
    for i in range(14):
        with T.sblock("C"):
            vi = T.axis.spatial(14, i)
            T.reads(B[vi])
            T.writes(C[vi])
            C[vi] = T.if_then_else(vi < 7, B[vi], B[13 - vi])
