@T.prim_func(s_tir=True)
def main(A: T.Buffer((10, 6), "float32"), B: T.Buffer((10,), "float32"), C: T.Buffer((6,), "float32"), D: T.Buffer((6,), "float32"), E: T.Buffer((10,), "float32"), F: T.Buffer((10,), "float32"), H: T.Buffer((10,), "float32")):
    for i in range(5):
        with T.sblock("half"):
            vi = T.axis.spatial(10, i)
            T.reads(H[vi])
            T.writes(B[vi])
            B[vi] = H[vi] + T.float32(1.0)
    for i, j in T.grid(10, 6):
        with T.sblock("last"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(C[vj])
            C[vj] = A[vi, vj]
    for i, j in T.grid(10, 6):
        with T.sblock("same"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[0, vj])
            T.writes(D[vj])
            D[vj] = A[0, vj]
    for i in range(10):
        with T.sblock("twice"):
            vi = T.axis.spatial(10, i)
            T.reads(H[vi], H[0])
            T.writes(E[vi])
            E[vi] = H[vi] + H[0]
    for i in range(10):
        with T.sblock("local"):
            vi = T.axis.spatial(10, i)
            T.reads(H[vi])
            T.writes(F[vi])
            t = T.sblock_alloc_buffer((1,))
            t[0] = H[vi]
            F[vi] = t[0]
