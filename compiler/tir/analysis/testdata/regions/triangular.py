@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(16):
        with T.sblock("b"):
            vi = T.axis.spatial(16, i)
            for j in range(4):
                for k in range(j, 8):
                    B[vi * 4 + j] = A[vi * 4 + j, k]
# ----
# with T.sblock("b"):
# T.reads(A[vi * 4:vi * 4 + 4, 0:11])
# T.writes(B[vi * 4:vi * 4 + 4])
