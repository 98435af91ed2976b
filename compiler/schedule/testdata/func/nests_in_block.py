from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), B: T.Buffer((16, 8), "float32"), C: T.Buffer((16, 8), "float32")):
    for o in range(4):
        with T.sblock("O"):
            vo = T.axis.spatial(4, o)
            T.reads(A[vo * 4:vo * 4 + 4, 0:8])
            T.writes(B[vo * 4:vo * 4 + 4, 0:8], C[vo * 4:vo * 4 + 4, 0:8])
            for i, j in T.grid(4, 8):
                with T.sblock("B"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vo * 4 + vi, vj] = A[vo * 4 + vi, vj] * T.float32(2)
            for p, q in T.grid(4, 8):
                with T.sblock("C"):
                    vi, vj = T.axis.remap("SS", [p, q])
                    C[vo * 4 + vi, vj] = A[vo * 4 + vi, vj] * T.float32(3)
