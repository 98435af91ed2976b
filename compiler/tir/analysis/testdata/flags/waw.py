@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for i in range(64):
        with T.sblock("first"):
            vi = T.axis.spatial(64, i)
            C[vi] = A[vi]
    for i in range(64):
        with T.sblock("second"):
            vi = T.axis.spatial(64, i)
            C[vi] = A[vi] * 2.0
# ----
# root affine=True cover=True pipeline=True
# first affine=True cover=True pipeline=True reduction=False
# second affine=True cover=True pipeline=True reduction=False
