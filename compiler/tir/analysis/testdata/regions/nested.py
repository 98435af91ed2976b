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
# with T.sblock("outer"):
# T.reads(A[vi * 4:vi * 4 + 4, T.min(vj * 4, vj * 2):T.min(vj * 4, vj * 2) + (vj * 6 + 5 - T.min(vj * 4, vj * 2) * 2)])
# T.writes(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
# with T.sblock("inner"):
# T.reads(A[vii, T.min(vjj, vjj // 2):T.min(vjj, vjj // 2) + (T.max(vjj, vjj // 2) + 1 - T.min(vjj, vjj // 2))])
# T.writes(B[vii, vjj])
