@T.prim_func(s_tir=True)
def f(A: T.Buffer((100,), "float32"), C: T.Buffer((100,), "float32")):
    B = T.sblock_alloc_buffer((100,))
    for i, ii in T.grid(7, 16):
        with T.sblock("B"):
            vi = T.axis.spatial(100, i * 16 + ii)
            T.where(i * 16 + ii < 99)
            B[vi] = A[vi] * 2.0
    for i in range(100):
        with T.sblock("C"):
            vi = T.axis.spatial(100, i)
            C[vi] = B[vi] + 1.0
# ----
# root affine=True cover=True pipeline=False
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=False pipeline=True reduction=False
