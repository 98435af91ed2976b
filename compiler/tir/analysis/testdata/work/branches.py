@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(64):
        with T.sblock("a"):
            vi = T.axis.spatial(64, i)
            B[vi] = T.Select(A[vi] > 0.0, A[vi] * 2.0, A[vi] * 3.0 + 1.0)
    for i in range(64):
        with T.sblock("b"):
            vi = T.axis.spatial(64, i)
            if vi < 32:
                B[vi] = A[vi] + 1.0
            else:
                B[vi] = A[vi] * 3.0 + 1.0
    for i in range(64):
        with T.sblock("c"):
            vi = T.axis.spatial(64, i)
            B[vi] = T.max(T.exp(A[(vi + 3) % 64] - 1.0), T.cast(vi % 4, "float32"))
    for i in range(64):
        with T.sblock("d"):
            vi = T.axis.spatial(64, i)
            B[vi] = T.if_then_else(1 <= vi and vi < 63, A[vi] * A[vi], T.float32(0))
# ----
# flops=512
# anchor=-
