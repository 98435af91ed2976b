@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), C: T.Buffer((16, 24), "float32")):
    B = T.sblock_alloc_buffer((8, 24))
    for i, j in T.grid(16, 24):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[0:16, 0:24])
            T.writes(B[(vi + 1) // 2, vj])
            B[(vi + 1) // 2, vj] = T.float32(2) * A[vi % 16, 0]
    for x, y in T.grid(16, 24):
        with T.sblock("C"):
            vx, vy = T.axis.remap("SS", [x, y])
            C[vx, vy] = B[vx // 2, vy] + T.float32(1)
