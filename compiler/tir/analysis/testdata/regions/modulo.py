@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 8), "float32"), B: T.Buffer((512,), "float32")):
    for i in range(128):
        with T.sblock("b"):
            vi = T.axis.spatial(128, i)
            for j in range(4):
                B[vi * 4 + j] = A[(vi * 4 + j) // 8, (vi * 4 + j) % 8]
    for i in range(512):
        with T.sblock("c"):
            vi = T.axis.spatial(512, i)
            B[vi] = A[vi // 8, vi % 8] + A[vi // 8, 7 - vi % 8]
# ----
# with T.sblock("b"):
# T.reads(A[vi * 4 // 8, vi % 2 * 4:vi % 2 * 4 + 4])
# T.writes(B[vi * 4:vi * 4 + 4])
# with T.sblock("c"):
# T.reads(A[vi // 8, T.min(vi % 8, 7 - vi % 8):T.min(vi % 8, 7 - vi % 8) + (T.max(vi % 8, 7 - vi % 8) + 1 - T.min(vi % 8, 7 - vi % 8))])
# T.writes(B[vi])
