@T.prim_func(s_tir=True)
def main(A: T.Buffer((12, 10), "float32"), B: T.Buffer((10, 12), "float32"), C: T.Buffer((10, 12), "float32")):
    D = T.sblock_alloc_buffer((10, 12))
    for i, j in T.grid(10, 12):
        with T.sblock("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = A[vj, vi]
    for i, j in T.grid(10, 12):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = D[vi, vj] + B[vi, vj]
