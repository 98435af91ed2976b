@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    B = T.sblock_alloc_buffer((16, 16))
    for i, j in T.grid(8, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
    for i, j in T.grid(8, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(B[vi, vj], B[vi + 4, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = B[vi, vj] + B[vi + 4, vj]
# ----
# root affine=True cover=True pipeline=False
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=False pipeline=True reduction=False
