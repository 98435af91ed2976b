@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), C: T.Buffer((16, 25), "float32")):
    B = T.sblock_alloc_buffer((16, 24))
    for i, j in T.grid(16, 24):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            vj = T.axis.spatial(24, j)
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for x in T.grid(400):
        with T.sblock("C"):
            vx = T.axis.spatial(400, x)
            C[vx // 25, vx % 25] = T.if_then_else(vx < 384, B[vx // 24, vx % 24], T.float32(0))
