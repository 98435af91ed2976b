@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    for i, j in T.grid(16, 16):
        with T.sblock("tile"):
            vi, vj = T.axis.remap("SS", [i, j])
            for ii, jj in T.grid(4, 4):
                B[vi * 4 + ii, vj * 4 + jj] = A[vi * 4 + ii, 63 - (vj * 4 + jj)]
# ----
# with T.sblock("tile"):
# T.reads(A[vi * 4:vi * 4 + 4, 60 - vj * 4:60 - vj * 4 + 4])
# T.writes(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
