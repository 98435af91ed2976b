@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    for i in T.serial(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            T.reads(A[0:16, 0:16], C[0:16, 0:16])
            T.writes(A[0:16, 0:16], C[0:16, 0:16])
            T.evaluate(T.call_extern("int32", "f", A.data, C.data, vi))
    for i, j in T.grid(16, 16):
        with T.sblock("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] + C[vi, vj]
# ----
# root affine=True cover=True pipeline=False
# C affine=True cover=True pipeline=True reduction=False
# D affine=True cover=True pipeline=True reduction=False
