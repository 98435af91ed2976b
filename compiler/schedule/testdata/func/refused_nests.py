@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32"), D: T.Buffer((8, 8), "float32"), E: T.Buffer((8, 8), "float32"), F: T.Buffer((8, 8), "float32"), G: T.Buffer((8, 16), "float32"), H: T.Buffer((8,), "float32"), K: T.Buffer((8,), "float32"), L: T.Buffer((8, 8), "float32")):
    for i in range(8):
        for j in range(i + 1):
            with T.sblock("triangle"):
                vi = T.axis.spatial(8, i)
                vj = T.axis.spatial(8, j)
                B[vi, vj] = A[vi, vj]
    for i, j in T.grid(8, 8):
        with T.sblock("ordered"):
            vi = T.axis.opaque(8, i)
            vj = T.axis.spatial(8, j)
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(8, 8):
        with T.sblock("diagonal"):
            vi = T.axis.spatial(8, i)
            vj = T.axis.spatial(8, i)
            D[vi, vj] = A[vi, vj]
    for i in range(8):
        for j in range(8):
            with T.sblock("left"):
                vi, vj = T.axis.remap("SS", [i, j])
                E[vi, vj] = A[vi, vj]
        for j in range(8):
            with T.sblock("right"):
                vi, vj = T.axis.remap("SS", [i, j])
                F[vi, vj] = A[vi, vj]
    for i, j in T.grid(8, 8):
        with T.sblock("steps"):
            vi = T.axis.spatial(8, i)
            vj = T.axis.spatial(16, j * 2)
            G[vi, vj] = T.if_then_else(vj < 8, A[vi, vj], T.float32(0.0))
    for i in range(8):
        with T.sblock("edge"):
            vi = T.axis.spatial(8, i)
            H[vi] = T.if_then_else(vi < 4, A[0, vi], T.float32(0.0))
        with T.sblock("beside"):
            vi = T.axis.spatial(8, i)
            K[vi] = A[1, vi]
    for i in range(8):
        for j in range(i + 1):
            with T.sblock("free"):
                T.reads(A[0:8, 0:8])
                T.writes(L[0:8, 0:8])
                L[i, j] = A[i, j]
