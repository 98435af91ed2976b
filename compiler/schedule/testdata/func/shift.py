@T.prim_func(s_tir=True)
def main(A: T.Buffer((40, 20), "float32"), C: T.Buffer((16, 16), "float32"), E: T.Buffer((16, 16), "float32")):
    B = T.sblock_alloc_buffer((40, 20))
    for i, j in T.grid(16, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi * 2 + 3, vj + 4] = A[vi + 1, vj] * T.float32(2)
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi * 2 + 3, vj + 4] + T.float32(1)
    for i, j in T.grid(16, 16):
        with T.sblock("E"):
            vi, vj = T.axis.remap("SS", [i, j])
            E[vi, vj] = A[vi + 1, vj] + T.float32(1)
