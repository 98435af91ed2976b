from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14,), "int32"), B: T.Buffer((14,), "int32")):
    D = T.sblock_alloc_buffer((1,))
    with T.sblock("blk"):
        for i in range(14):
            x: T.let[T.int32] = A[i] + 1
            B[i] = x * x
