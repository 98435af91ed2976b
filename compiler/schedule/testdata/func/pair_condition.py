from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((60, 60), "float32"), C: T.Buffer((60, 60), "float32")):
    B = T.sblock_alloc_buffer((60, 60))
    for i, j in T.grid(60, 60):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i0, j0, i1, j1 in T.grid(4, 4, 16, 16):
        with T.sblock("C"):
            vi = T.axis.spatial(60, i0 * 16 + i1)
            vj = T.axis.spatial(60, j0 * 16 + j1)
            T.where(i0 * 16 + i1 < 60 and j0 * 16 + j1 < 60)
            C[vi, vj] = B[vi, vj] + T.float32(1)
