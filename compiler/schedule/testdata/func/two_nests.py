@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), D: T.Buffer((16, 32), "float32"), E: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16, 32))
    for i, j in T.grid(16, 32):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(16, 32):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = B[vi, vj]
    for i, k in T.grid(16, 32):
        with T.sblock("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                E[vi] = T.float32(0)
            E[vi] = E[vi] + B[vi, vk]
