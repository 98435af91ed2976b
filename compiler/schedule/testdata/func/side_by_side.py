@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), D: T.Buffer((16, 32), "float32"), E: T.Buffer((16, 32), "float32")):
    B = T.sblock_alloc_buffer((16, 32))
    for i in range(16):
        for j in range(32):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj]
        for j0, j1 in T.grid(4, 8):
            with T.sblock("C"):
                vi = T.axis.spatial(16, i)
                vj = T.axis.spatial(32, j0 * 8 + j1)
                D[vi, vj] = B[vi, vj]
        for j in range(32):
            with T.sblock("F"):
                vi, vj = T.axis.remap("SS", [i, j])
                E[vi, vj] = A[vi, 31 - vj]
        with T.sblock("G"):
            vi = T.axis.spatial(16, i)
            E[vi, 0] = A[vi, 0]
