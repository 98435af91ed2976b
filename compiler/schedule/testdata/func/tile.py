@T.prim_func(s_tir=True)
def main(A: T.Buffer((30, 16), "float32"), C: T.Buffer((30, 16), "float32")):
    B = T.sblock_alloc_buffer((30, 16))
    for i in range(8):
        for x, j in T.grid(4, 16):
            with T.sblock("B"):
                vi = T.axis.spatial(30, i * 4 + x)
                vj = T.axis.spatial(16, j)
                T.where(i * 4 + x < 30)
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for x, j in T.grid(4, 16):
            with T.sblock("C"):
                vi = T.axis.spatial(30, i * 4 + x)
                vj = T.axis.spatial(16, j)
                T.where(i * 4 + x < 30)
                C[vi, vj] = B[vi, vj] + T.float32(1)
