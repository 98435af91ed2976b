@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    B = T.sblock_alloc_buffer((16, 16))
    for i, j in T.grid(8, 8):
        with T.sblock("B0"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
    for i, j in T.grid(8, 8):
        with T.sblock("B1"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi + 8, vj + 8] = A[vi, vj]
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj]
# ----
# root affine=True cover=True pipeline=True
# B0 affine=True cover=True pipeline=True reduction=False
# B1 affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
