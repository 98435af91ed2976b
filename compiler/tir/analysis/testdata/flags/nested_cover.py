@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    for i in T.serial(4):
        with T.sblock("outer"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi * 4:vi * 4 + 4, 0:16])
            T.writes(C[vi * 4:vi * 4 + 4, 0:16])
            B = T.sblock_alloc_buffer((16, 16))
            for x, y in T.grid(4, 16):
                with T.sblock("B"):
                    vx, vy = T.axis.remap("SS", [x, y])
                    B[vi * 4 + vx, vy] = A[vi * 4 + vx, vy]
            for x, y in T.grid(4, 16):
                with T.sblock("C"):
                    vx, vy = T.axis.remap("SS", [x, y])
                    C[vi * 4 + vx, vy] = B[vi * 4 + vx, vy]
# ----
# root affine=True cover=True pipeline=True
# outer affine=True cover=True pipeline=True reduction=False
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
