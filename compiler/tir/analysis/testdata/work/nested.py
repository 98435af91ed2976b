@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    for i, j in T.grid(16, 16):
        with T.sblock("outer"):
            vi, vj = T.axis.remap("SS", [i, j])
            for ii, jj in T.grid(4, 4):
                with T.sblock("inner"):
                    vii = T.axis.spatial(64, vi * 4 + ii)
                    vjj = T.axis.spatial(64, vj * 4 + jj)
                    T.where(vi * 4 + ii < 62)
                    B[vii, vjj] = A[vii, vjj] + A[vii, vjj // 2]
# ----
# flops=4096
# anchor=-
