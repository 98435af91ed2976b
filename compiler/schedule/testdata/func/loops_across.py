from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14, 6), "int32"), B: T.Buffer((14, 6), "int32")):
    D = T.sblock_alloc_buffer((1,))
    with T.sblock("blk"):
        for j, i in T.grid(6, 14):
            B[i, j] = A[i, j] * 2
