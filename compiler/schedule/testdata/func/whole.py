@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), C: T.Buffer((16, 8), "float32")):
    with T.sblock("fix"):
        T.reads(A[0:16, 0:8])
        T.writes(A[0:16, 0:8])
        for i, j in T.grid(16, 8):
            A[i, j] = A[i, j] * T.float32(2)
    for u in range(1):
        with T.sblock("part"):
            T.reads(A[2:6, 0:8])
            T.writes(A[2:4, 0:8])
            for i, j in T.grid(2, 8):
                A[i + 2, j] = A[i + 4, j] + T.float32(2)
    for i, j in T.grid(16, 8):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj]
