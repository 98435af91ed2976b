@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    B = T.sblock_alloc_buffer((16, 16))
    for i in T.grid(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi, vi] = A[vi, vi]
    for i in T.grid(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi, vi] = B[vi, vi]
# ----
# root affine=True cover=True pipeline=False
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=False pipeline=True reduction=False
