@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    B = T.sblock_alloc_buffer((16, 16))
    for i, j in T.grid(16, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i + j < 16)
            B[vi, vj] = A[vi, vj]
    for i in T.grid(8):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi, vi] = B[vi, 15 - vi]
# ----
# root affine=True cover=True pipeline=False
# B affine=False cover=True pipeline=True reduction=False
# C affine=True cover=False pipeline=True reduction=False
