@T.prim_func(s_tir=True)
def f(A: T.Buffer((128,), "float32"), C: T.Buffer((128,), "float32")):
    B = T.sblock_alloc_buffer((128,))
    for i in range(64):
        with T.sblock("lo"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] * 2.0
    for i in range(64):
        with T.sblock("hi"):
            vi = T.axis.spatial(64, i)
            B[vi + 64] = A[vi + 64] * 3.0
    for i in range(128):
        with T.sblock("C"):
            vi = T.axis.spatial(128, i)
            C[vi] = B[vi] + 1.0
# ----
# root affine=True cover=True pipeline=True
# lo affine=True cover=True pipeline=True reduction=False
# hi affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
