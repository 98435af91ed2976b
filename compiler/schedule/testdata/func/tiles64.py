@T.prim_func(s_tir=True)
def main(A: T.Buffer((T.int64(64), T.int64(32)), "float16"), C: T.Buffer((T.int64(64), T.int64(32)), "float16")):
    for i0, j0 in T.grid(T.int64(4), T.int64(2)):
        for i1, j1 in T.grid(T.int64(16), T.int64(16)):
            with T.sblock("B"):
                vi = T.axis.spatial(T.int64(64), i0 * T.int64(16) + i1)
                vj = T.axis.spatial(T.int64(32), j0 * T.int64(16) + j1)
                C[vi, vj] = A[vi, vj] + T.float16(1)
