@T.prim_func(s_tir=True)
def f(A: T.Buffer((130,), "float32"), B: T.Buffer((128,), "float32"), I: T.Buffer((128,), "int32")):
    for i in range(128):
        with T.sblock("stencil"):
            vi = T.axis.spatial(128, i)
            B[vi] = A[vi] + A[vi + 1] + A[vi + 2]
    for i in range(128):
        with T.sblock("gather"):
            vi = T.axis.spatial(128, i)
            B[vi] = A[I[vi]] + A[vi]
    for i in range(128):
        with T.sblock("scatter"):
            vi = T.axis.spatial(128, i)
            B[I[vi]] = A[vi] + B[vi]
# ----
# flops=512
# anchor=-
