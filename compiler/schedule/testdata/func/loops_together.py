from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14, 6), "int32"), B: T.Buffer((14, 6), "int32"), C: T.Buffer((14, 6), "int32")):
    D = T.sblock_alloc_buffer((1,))
    with T.sblock("blk"):
        for i in range(14):
            for j in range(6):
                B[i, j] = A[i, j] * 2
            for j in range(6):
                C[i, j] = B[i, j] * 2
