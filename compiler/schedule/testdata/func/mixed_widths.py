from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((T.int64(16), 8), "float32"), B: T.Buffer((T.int64(16), 8), "float32")):
    C = T.sblock_alloc_buffer((T.int64(16), 8))
    for i, j in T.grid(T.int64(16), 8):
        with T.sblock("C"):
            vi = T.axis.spatial(T.int64(16), i)
            vj = T.axis.spatial(8, j)
            C[vi, vj] = A[vi, vj] + T.float32(1)
    for i, j in T.grid(16, T.int64(8)):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            vj = T.axis.spatial(T.int64(8), j)
            B[vi, vj] = C[vi, vj] * T.float32(2)
