@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 32), "float32"), B: T.Buffer((16, 32), "float32")):
    for i in range(8):
        with T.sblock("inner"):
            vi = T.axis.spatial(8, i)
            for k, l in T.grid(8, 10):
                B[k, l + vi] = T.if_then_else(1 <= k and k < 7 and 2 <= l, A[k, l + vi], T.float32(0.0))
        with T.sblock("mixed"):
            vi = T.axis.spatial(8, i)
            for k, l in T.grid(8, 10):
                B[k, l + vi] = T.if_then_else(1 <= vi + k and k < 7 and 2 <= l, A[k, l + vi], T.float32(0.0))
        with T.sblock("outer"):
            vi = T.axis.spatial(8, i)
            for k, l in T.grid(8, 10):
                B[k, l + vi] = T.if_then_else(1 <= vi and vi < 7 and 2 <= l, A[k, l + vi], T.float32(0.0))
        with T.sblock("one_sided"):
            vi = T.axis.spatial(8, i)
            for k, l in T.grid(8, 10):
                B[k, l + vi] = T.if_then_else(1 <= vi and 2 <= l, A[k, l + vi], T.float32(0.0))
        with T.sblock("quotient"):
            vi = T.axis.spatial(8, i)
            for k, l in T.grid(8, 10):
                B[k, l + vi] = T.if_then_else(k // 2 < 3 and 2 <= l, A[k, l + vi], T.float32(0.0))
        with T.sblock("follows"):
            vi = T.axis.spatial(8, i)
            for k, l in T.grid(8, 10):
                B[k, l + vi] = T.if_then_else(k + l < 9 and k < 4 and l < 5, A[k, l + vi], T.float32(0.0))
        with T.sblock("never"):
            vi = T.axis.spatial(8, i)
            for k, l in T.grid(8, 10):
                B[k, l + vi] = T.if_then_else(k < 3 and 5 < k, A[k, l + vi], T.float32(0.0))
# ----
# with T.sblock("inner"):
# T.reads(A[1:7, vi + 2:vi + 2 + 8])
# T.writes(B[0:8, vi:vi + 10])
# with T.sblock("mixed"):
# T.reads(A[0:8, vi:vi + 10])
# T.writes(B[0:8, vi:vi + 10])
# with T.sblock("outer"):
# T.reads(A[0:8, vi + 2:vi + 2 + 8])
# T.writes(B[0:8, vi:vi + 10])
# with T.sblock("one_sided"):
# T.reads(A[0:8, vi:vi + 10])
# T.writes(B[0:8, vi:vi + 10])
# with T.sblock("quotient"):
# T.reads(A[0:6, vi + 2:vi + 2 + 8])
# T.writes(B[0:8, vi:vi + 10])
# with T.sblock("follows"):
# T.reads(A[0:4, vi:vi + 5])
# T.writes(B[0:8, vi:vi + 10])
# with T.sblock("never"):
# T.reads(A[0:8, vi:vi + 10])
# T.writes(B[0:8, vi:vi + 10])
