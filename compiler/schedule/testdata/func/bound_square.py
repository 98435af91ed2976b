from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14,), "int32"), B: T.Buffer((14,), "int32")):
    for i in range(14):
        with T.sblock("blk"):
            vi = T.axis.spatial(14, i)
            T.reads(A[vi])
            T.writes(B[vi])
            x: T.let[T.int32] = A[vi] * 3
            B[vi] = x + x
