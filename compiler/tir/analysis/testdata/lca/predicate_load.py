@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    B = T.sblock_alloc_buffer((1,), "int32")
    for i in range(64):
        with T.sblock("B"):
            T.reads(A[i])
            T.writes(B[0])
            B[0] = A[i]
        for j in range(64):
            with T.sblock("C"):
                vj = T.axis.spatial(64, j)
                T.where(j < B[0])
                T.reads(A[vj])
                T.writes(C[vj])
                C[vj] = A[vj]
# ----
# A: for i
# B: for i
# C: SBlock C
