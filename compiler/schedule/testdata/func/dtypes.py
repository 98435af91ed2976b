@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), C: T.Buffer((16, 8), "float32")):
    B = T.sblock_alloc_buffer((16, 8))
    I = T.sblock_alloc_buffer((8,), "int32")
    for j in range(8):
        with T.sblock("I"):
            vj = T.axis.spatial(8, j)
            I[vj] = 7 - vj
    for i, j in T.grid(16, 8):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2) + T.Cast("float32", I[vj])
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            T.reads(B[vi, 0:8], I[0:8])
            T.writes(C[vi, 0:8])
            V = T.match_buffer(B[vi, 0:8], (1, 8))
            for j in range(8):
                with T.sblock("inner"):
                    vj = T.axis.spatial(8, j)
                    C[vi, vj] = V[0, I[vj]]
