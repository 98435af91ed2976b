@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for i in range(64):
        if i < 32:
            with T.sblock("C"):
                vi = T.axis.spatial(64, i)
                C[vi] = A[vi]
# ----
# root affine=True cover=True pipeline=True
# C affine=True cover=True pipeline=True reduction=False
