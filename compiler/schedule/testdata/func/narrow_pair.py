from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14,), "int8"), B: T.Buffer((14,), "int8"), C: T.Buffer((14,), "float16")):
    for i in range(14):
        with T.sblock("B"):
            vi = T.axis.remap("S", [i])
            B[vi] = A[vi] + T.int8(1)
    for i in range(14):
        with T.sblock("C"):
            vi = T.axis.remap("S", [i])
            C[vi] = T.Cast("float16", B[vi])
