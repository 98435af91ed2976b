@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), C: T.Buffer((16, 24), "float32")):
    B = T.sblock_alloc_buffer(())
    with T.sblock("B"):
        T.reads(A[0, 0])
        T.writes(B[()])
        B[()] = A[0, 0] * T.float32(2)
    for i, j in T.grid(16, 24):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[()] + A[vi, vj]
