from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 32), "float32"), C: T.Buffer((32, 32), "float32")):
    B = T.sblock_alloc_buffer((32, 32))
    for i, j in T.grid(30, 28):
        with T.sblock("B"):
            vi = T.axis.spatial((2, 32), i + 2)
            vj = T.axis.spatial((4, 32), j + 4)
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(30, 28):
        with T.sblock("C"):
            vi = T.axis.spatial((2, 32), i + 2)
            vj = T.axis.spatial((4, 32), j + 4)
            C[vi, vj] = B[vi, vj] + T.float32(1)
