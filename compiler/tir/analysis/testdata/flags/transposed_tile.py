@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    B = T.sblock_alloc_buffer((64, 64))
    for i in range(64):
        for j in range(64):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj]
        for j in range(64):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = B[vj, vi]
# ----
# root affine=True cover=True pipeline=False
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=False pipeline=True reduction=False
