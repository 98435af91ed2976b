from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 32, 16), "float32"), B: T.Buffer((8, 32, 16), "float32"), C: T.Buffer((8, 32, 16), "float32")):
    for o in range(8):
        for i, j in T.grid(32, 16):
            with T.sblock("B"):
                vo, vi, vj = T.axis.remap("SSS", [o, i, j])
                B[vo, vi, vj] = A[vo, vi, vj] * T.float32(2)
        for i, j in T.grid(32, 16):
            with T.sblock("C"):
                vo, vi, vj = T.axis.remap("SSS", [o, i, j])
                C[vo, vi, vj] = A[vo, vi, vj] + B[vo, vi, vj]
