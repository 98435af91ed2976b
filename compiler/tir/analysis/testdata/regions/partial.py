@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    for i, j in T.grid(64, 64):
        with T.sblock("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[0:64, 0:64])
            B[vi, vj] = A[vi, vj]
    for i, j in T.grid(64, 64):
        with T.sblock("c"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.writes()
            B[vi, vj] = A[vi, vj] + B[vi, vj]
# ----
# with T.sblock("b"):
# T.reads(A[0:64, 0:64])
# T.writes(B[vi, vj])
# with T.sblock("c"):
# T.reads(A[vi, vj], B[vi, vj])
# T.writes()
