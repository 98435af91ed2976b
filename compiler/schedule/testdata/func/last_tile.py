from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((30, 16), "float32"), B: T.Buffer((30, 16), "float32")):
    C = T.sblock_alloc_buffer((30, 16))
    for i0, i1, j in T.grid(4, 8, 16):
        with T.sblock("C"):
            vi = T.axis.spatial(30, i0 * 8 + i1)
            vj = T.axis.spatial(16, j)
            T.where(i0 * 8 + i1 < 30)
            C[vi, vj] = A[vi, vj] * T.float32(2)
    for i0, i1, j in T.grid(4, 8, 16):
        with T.sblock("B"):
            vi = T.axis.spatial(30, i0 * 8 + i1)
            vj = T.axis.spatial(16, j)
            T.where(i0 * 8 + i1 < 30)
            B[vi, vj] = C[vi, vj] + T.float32(1)
