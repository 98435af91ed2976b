@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    for i, j in T.grid(16, 16):
        with T.sblock("A1"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = A[vi, vj] + T.float32(1)
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj]
# ----
# root affine=True cover=True pipeline=True
# A1 affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
