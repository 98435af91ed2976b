@T.prim_func(s_tir=True)
def f(A: T.Buffer((128,), "float32"), C: T.Buffer((128,), "float32")):
    for i, j in T.grid(16, 8):
        with T.sblock("C"):
            vi = T.axis.spatial(128, i * 16 + j)
            C[vi] = A[vi]
    for i, j in T.grid(16, 8):
        with T.sblock("D"):
            vi = T.axis.spatial(128, i * 8 + j)
            vj = T.axis.spatial(8, j)
            C[vi] = A[vi]
# ----
# root affine=True cover=True pipeline=True
# C affine=False cover=True pipeline=True reduction=False
# D affine=False cover=True pipeline=True reduction=False
