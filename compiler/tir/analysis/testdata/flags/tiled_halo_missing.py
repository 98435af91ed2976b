@T.prim_func(s_tir=True)
def f(A: T.Buffer((130,), "float32"), C: T.Buffer((128,), "float32")):
    B = T.sblock_alloc_buffer((130,))
    for i in range(8):
        for ii in range(16):
            with T.sblock("B"):
                vi = T.axis.spatial(130, i * 16 + ii)
                B[vi] = A[vi] * 2.0
        for ii in range(16):
            with T.sblock("C"):
                vi = T.axis.spatial(128, i * 16 + ii)
                C[vi] = B[vi] + B[vi + 1] + B[vi + 2]
# ----
# root affine=True cover=True pipeline=False
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=False pipeline=True reduction=False
