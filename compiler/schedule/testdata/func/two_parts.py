@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    B = T.sblock_alloc_buffer((16, 16))
    for i, j in T.grid(8, 16):
        with T.sblock("B0"):
            vi = T.axis.spatial(16, i)
            vj = T.axis.spatial(16, j)
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(8, 16):
        with T.sblock("B1"):
            vi = T.axis.spatial(16, i + 8)
            vj = T.axis.spatial(16, j)
            B[vi, vj] = A[vi, vj] * T.float32(3)
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
