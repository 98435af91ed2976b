@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(16):
        with T.sblock("b"):
            vi = T.axis.spatial(16, i)
            t = T.sblock_alloc_buffer((4,))
            for j in range(4):
                with T.sblock("t"):
                    vj = T.axis.spatial(4, j)
                    t[vj] = A[vi * 4 + vj]
            for j in range(4):
                with T.sblock("u"):
                    vj = T.axis.spatial(4, j)
                    B[vi * 4 + vj] = t[vj] * t[3 - vj]
# ----
# A: SBlock t
# B: SBlock u
# t: SBlock b
