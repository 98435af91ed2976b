@T.prim_func(s_tir=True)
def main(A: T.Buffer((5, 8), "float32"), J: T.Buffer((10,), "int32"), B: T.Buffer((10, 8), "float32"), C: T.Buffer((10, 8), "float32")):
    G = T.sblock_alloc_buffer((10, 8))
    for i, j in T.grid(10, 8):
        with T.sblock("G"):
            vi, vj = T.axis.remap("SS", [i, j])
            G[vi, vj] = A[J[vi], vj]
    for i, j in T.grid(10, 8):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = G[vi, vj] + B[vi, vj]
