@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), C: T.Buffer((16, 24), "float32")):
    B = T.sblock_alloc_buffer((16, 24))
    for i, j in T.grid(16, 24):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            vj = T.axis.spatial(24, j)
            B[vi, vj] = A[vi, vj] * T.cast(vi * 2 + vj, "float32")
    for x, y in T.grid(16, 24):
        with T.sblock("C"):
            vx = T.axis.spatial(16, x)
            vy = T.axis.spatial(24, y)
            C[vx, vy] = B[3, vy] + T.float32(1)
