@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), C: T.Buffer((16, 24), "float32")):
    for i in T.serial(4):
        with T.sblock("outer"):
            vo = T.axis.spatial(4, i)
            T.reads(A[vo * 4:vo * 4 + 4, 0:24])
            T.writes(C[vo * 4:vo * 4 + 4, 0:24])
            B = T.sblock_alloc_buffer((16, 24))
            for x, y in T.grid(4, 24):
                with T.sblock("B"):
                    vx, vy = T.axis.remap("SS", [x, y])
                    B[vo * 4 + vx, vy] = A[vo * 4 + vx, vy]
            for x, y in T.grid(4, 24):
                with T.sblock("C"):
                    vx, vy = T.axis.remap("SS", [x, y])
                    C[vo * 4 + vx, vy] = B[vo * 4 + vx, vy]
