@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), C: T.Buffer((16, 8), "float32")):
    with T.sblock("root"):
        T.reads(A[0:16, 0:8])
        T.writes(C[0:16, 0:8])
        for i, j in T.grid(16, 8):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(C[vi, vj])
                C[vi, vj] = A[vi, vj] + T.float32(1)
