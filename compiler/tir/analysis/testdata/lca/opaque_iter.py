@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    B = T.sblock_alloc_buffer((64,))
    for i in range(64):
        for j in range(1):
            with T.sblock("B"):
                vi = T.axis.opaque(64, i)
                B[vi] = A[vi]
                C[vi] = B[vi]
# ----
# A: SBlock root
# B: SBlock root
# C: SBlock root
