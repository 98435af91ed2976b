@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    B = T.sblock_alloc_buffer((16, 16))
    with T.sblock("B"):
        v = T.axis.spatial(1, 0)
        T.reads(A[0, 0])
        T.writes(B[0, 0])
        B[0, 0] = A[0, 0]
    with T.sblock("C"):
        T.reads(B[0, 0])
        T.writes(C[0, 0])
        C[0, 0] = B[0, 0]
# ----
# root affine=True cover=True pipeline=True
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
