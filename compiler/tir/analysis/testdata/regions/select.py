@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), n: T.int32):
    for i in range(16):
        with T.sblock("c"):
            vi = T.axis.spatial(16, i)
            for j in range(4):
                B[T.Select(j < 2, vi, n)] = A[T.min(vi + j, 20)]
# ----
# with T.sblock("c"):
# T.reads(A[T.min(vi, 20):T.min(vi, 20) + (T.min(vi + 3, 20) + 1 - T.min(vi, 20))])
# T.writes(B[T.min(n, vi):T.min(n, vi) + (T.max(n, vi) + 1 - T.min(n, vi))])
