@T.prim_func(s_tir=True)
def f(A: T.Buffer((128, 128), "float32"), C: T.Buffer((128, 128), "float32")):
    B = T.sblock_alloc_buffer((128, 128))
    for i, j in T.grid(8, 8):
        for ii, jj in T.grid(16, 16):
            with T.sblock("B"):
                vi = T.axis.spatial(128, i * 16 + ii)
                vj = T.axis.spatial(128, j * 16 + jj)
                B[vi, vj] = A[vi, vj] * 2.0
        for ii, jj in T.grid(16, 16):
            with T.sblock("C"):
                vi = T.axis.spatial(128, i * 16 + ii)
                vj = T.axis.spatial(128, j * 16 + jj)
                C[vi, vj] = B[vi, vj] + 1.0
# ----
# root affine=True cover=True pipeline=True
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
