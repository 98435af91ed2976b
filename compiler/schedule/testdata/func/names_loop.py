@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), C: T.Buffer((16, 24), "float32")):
    B = T.sblock_alloc_buffer((24,))
    for i in range(16):
        with T.sblock("B"):
            T.reads(A[0:i + 1, 0:24])
            T.writes(B[0:24])
            for k in range(24):
                B[k] = A[0, k] * T.float32(2)
    for i, j in T.grid(16, 24):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(B[vj])
            T.writes(C[vi, vj])
            C[vi, vj] = B[vj] + T.float32(1)
