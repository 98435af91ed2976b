from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14,), "int32"), B: T.Buffer((14,), "int32")):
    for i in T.serial(14, annotations={"x": 1}):
        with T.sblock("blk"):
            vi = T.axis.remap("S", [i])
            T.sblock_attr({"a": 1})
            B[vi] = A[vi] + 1
