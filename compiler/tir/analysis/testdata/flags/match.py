@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    B = T.sblock_alloc_buffer((16, 16))
    for i, j in T.grid(4, 4):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
            T.writes(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
            B0 = T.match_buffer(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), offset_factor=1)
            for x, y in T.grid(4, 4):
                with T.sblock("inner"):
                    vx, vy = T.axis.remap("SS", [x, y])
                    B0[vx, vy] = A[vi * 4 + vx, vj * 4 + vy]
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj]
# ----
# root affine=True cover=True pipeline=True
# B affine=True cover=True pipeline=True reduction=False
# inner affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
