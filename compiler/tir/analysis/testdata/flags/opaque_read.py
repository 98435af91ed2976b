@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    B = T.sblock_alloc_buffer((16, 16))
    for i, j in T.grid(16, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
    for i in T.serial(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            T.reads(B[vi, 0:16])
            T.writes(C[vi, 0:16])
            T.evaluate(T.call_extern("int32", "f", B.data, C.data, vi))
# ----
# root affine=True cover=True pipeline=True
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
