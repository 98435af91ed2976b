@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(4):
        with T.sblock("b"):
            vi = T.axis.spatial(4, i)
            for j in range(16):
                if j < 10:
                    B[vi * 16 + j] = A[vi * 16 + j]
    for i in range(4):
        with T.sblock("c"):
            vi = T.axis.spatial(4, i)
            for j in range(16):
                B[vi * 16 + j] = T.if_then_else(3 <= j, A[vi * 16 + j - 3], T.float32(0))
    for i in range(4):
        with T.sblock("d"):
            vi = T.axis.spatial(4, i)
            for j in range(16):
                if vi * 16 + j < 60:
                    B[vi * 16 + j] = A[vi * 16 + j]
                else:
                    B[0] = 1.0
    for i in range(4):
        with T.sblock("e"):
            vi = T.axis.spatial(4, i)
            for j, k in T.grid(4, 4):
                if j * 4 + k < 10:
                    B[vi * 16 + j * 4 + k] = A[j * 4 + k]
# ----
# with T.sblock("b"):
# T.reads(A[vi * 16:vi * 16 + 10])
# T.writes(B[vi * 16:vi * 16 + 10])
# with T.sblock("c"):
# T.reads(A[vi * 16:vi * 16 + 13])
# T.writes(B[vi * 16:vi * 16 + 16])
# with T.sblock("d"):
# T.reads(A[vi * 16:vi * 16 + 16])
# T.writes(B[T.min(vi, 0) * 16:T.min(vi, 0) * 16 + (T.max(vi * 16 + 15, 0) + 1 - T.min(vi, 0) * 16)])
# with T.sblock("e"):
# T.reads(A[0:16])
# T.writes(B[vi * 16:vi * 16 + 16])
