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
# with T.sblock("stencil"):
# T.reads(A[vi:vi + 3])
# T.writes(B[vi])
# with T.sblock("gather"):
# T.reads(A[T.min(I_1[vi], vi):T.min(I_1[vi], vi) + (T.max(I_1[vi], vi) + 1 - T.min(I_1[vi], vi))], I_1[vi])
# T.writes(B[vi])
# with T.sblock("scatter"):
# T.reads(A[vi], B[vi], I_1[vi])
# T.writes(B[I_1[vi]])
