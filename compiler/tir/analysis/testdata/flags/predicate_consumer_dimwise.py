@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    B = T.sblock_alloc_buffer((16, 16))
    for i, j in T.grid(15, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
    for i0, i1, j in T.grid(3, 7, 16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i0 * 7 + i1)
            vj = T.axis.spatial(16, j)
            T.where(i0 * 7 + i1 < 15)
            C[vi, vj] = B[vi, vi]
# ----
# root affine=True cover=True pipeline=True
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
