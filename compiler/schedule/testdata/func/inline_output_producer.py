@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), B: T.Buffer((16, 24), "float32"), C: T.Buffer((16, 24), "float32")):
    for i, j in T.grid(16, 24):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(16, 24):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj]
