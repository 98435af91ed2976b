from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 16, 8), "float32"), B: T.Buffer((4, 16, 8), "float32"), C: T.Buffer((4, 16, 8), "float32")):
    for o in range(4):
        for i, j in T.grid(16, 8):
            with T.sblock("B"):
                vo, vi, vj = T.axis.remap("SSS", [o, i, j])
                B[vo, vi, vj] = A[vo, vi, vj] * T.float32(2)
        for p, q in T.grid(16, 8):
            with T.sblock("C"):
                vo, vi, vj = T.axis.remap("SSS", [o, p, q])
                C[vo, vi, vj] = A[vo, vi, vj] * T.float32(3)
