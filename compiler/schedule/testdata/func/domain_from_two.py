from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((20, 16), "float32"), B: T.Buffer((20, 16), "float32")):
    C = T.sblock_alloc_buffer((20, 16))
    for i in T.serial(2, 18):
        for j in range(16):
            with T.sblock("C"):
                vi = T.axis.spatial((2, 18), i)
                vj = T.axis.spatial(16, j)
                C[vi, vj] = A[vi + 1, vj]
    for i in T.serial(2, 18):
        for j in range(16):
            with T.sblock("B"):
                vi = T.axis.spatial((2, 18), i)
                vj = T.axis.spatial(16, j)
                B[vi, vj] = C[vi, vj]
