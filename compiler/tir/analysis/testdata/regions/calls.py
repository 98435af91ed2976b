@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    for i, j in T.grid(16, 16):
        with T.sblock("shift"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj >> 1] = A[T.if_then_else(vi < 4, vi, 0), T.Select(vj < 4, vi, vj)]
    for i, j in T.grid(16, 16):
        with T.sblock("same"):
            vi, vj = T.axis.remap("SS", [i, j])
            for k, l in T.grid(4, 4):
                C[vi + k * l, T.Select(vj < 4, T.min(vi, 7), T.min(vi, 7))] = A[vi, vj]
# ----
# with T.sblock("shift"):
# T.reads(A[0:64, T.min(vj, vi):T.min(vj, vi) + (T.max(vj, vi) + 1 - T.min(vj, vi))])
# T.writes(C[vi, 0:64])
# with T.sblock("same"):
# T.reads(A[vi, vj])
# T.writes(C[0:64, T.min(T.min(vi, 7), T.min(vi, 7))])
