@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    B = T.sblock_alloc_buffer((16, 16))
    for i in T.serial(2, 14):
        for j in T.serial(16):
            with T.sblock("B"):
                vi = T.axis.spatial((2, 14), i)
                vj = T.axis.spatial(16, j)
                B[vi, vj] = A[vi, vj]
    for i in T.serial(2, 14):
        for j in T.serial(16):
            with T.sblock("C"):
                vi = T.axis.spatial((2, 14), i)
                vj = T.axis.spatial(16, j)
                C[vi, vj] = B[vi, vj]
# ----
# root affine=True cover=True pipeline=True
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
