@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    B = T.sblock_alloc_buffer((64, 64))
    for i in range(4):
        with T.sblock("outer"):
            vi = T.axis.spatial(4, i)
            for ii, j in T.grid(16, 64):
                with T.sblock("B"):
                    vii = T.axis.spatial(64, vi * 16 + ii)
                    vj = T.axis.spatial(64, j)
                    B[vii, vj] = A[vii, vj]
            for ii, j in T.grid(16, 64):
                with T.sblock("C"):
                    vii = T.axis.spatial(64, vi * 16 + ii)
                    vj = T.axis.spatial(64, j)
                    C[vii, vj] = B[vii, vj]
# ----
# root affine=True cover=True pipeline=True
# outer affine=True cover=True pipeline=True reduction=False
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
