from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14,), "int32"), B: T.Buffer((14,), "int32")):
    D = T.sblock_alloc_buffer((1,))
    with T.sblock("blk"):
        for i in range(7):
            B[i] = A[i]
        for i in range(7):
            B[i + 7] = A[i]
