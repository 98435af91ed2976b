from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14,), "int32"), B: T.Buffer((14,), "int32")):
    for i in T.parallel(14):
        with T.sblock("blk"):
            vi = T.axis.remap("S", [i])
            B[vi] = A[vi] + 1
