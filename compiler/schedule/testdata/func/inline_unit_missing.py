@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), C: T.Buffer((16, 24), "float32")):
    B = T.sblock_alloc_buffer((16, 24))
    for i, j, k in T.grid(1, 16, 24):
        with T.sblock("B"):
            vi = T.axis.spatial(1, i)
            vj = T.axis.spatial(16, j)
            vk = T.axis.spatial(24, k)
            B[vj, vk] = A[vj, vk] * T.cast(vi + vj, "float32")
    for x, y in T.grid(16, 24):
        with T.sblock("C"):
            vx = T.axis.spatial(16, x)
            vy = T.axis.spatial(24, y)
            C[vx, vy] = B[vx, vy] + T.float32(1)
