from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14,), "int32"), C: T.Buffer((14,), "int32")):
    B = T.sblock_alloc_buffer((14,), "int32")
    with T.sblock("blk"):
        for i in range(14):
            B[i] = A[i] * 2
        for i in range(14):
            C[i] = B[i] + 1
