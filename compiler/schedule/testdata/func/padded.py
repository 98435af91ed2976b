# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 14), "float32"), C: T.Buffer((8, 14), "float32")):
    P = T.sblock_alloc_buffer((8, 20))
    for i, j in T.grid(8, 20):
        with T.sblock("P"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj - 3])
            T.writes(P[vi, vj])
            P[vi, vj] = T.if_then_else(3 <= vj and vj < 17, A[vi, vj - 3], T.float32(0.0))
    for i, j in T.grid(8, 14):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(P[vi, vj:vj + 7])
            T.writes(C[vi, vj])
            C[vi, vj] = P[vi, vj] + P[vi, vj + 3] + P[vi, vj + 6]
