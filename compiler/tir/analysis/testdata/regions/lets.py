@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(16):
        with T.sblock("b"):
            vi = T.axis.spatial(16, i)
            x: T.let[T.int32] = vi * 4
            for j in range(4):
                B[x + j] = A[x + 3 - j]
# ----
# with T.sblock("b"):
# T.reads(A[vi * 4:vi * 4 + 4])
# T.writes(B[vi * 4:vi * 4 + 4])
