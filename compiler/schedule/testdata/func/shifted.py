from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for i in T.grid(32):
        with T.sblock("B"):
            vi = T.axis.remap("S", [i])
            B[vi] = A[vi] * T.float32(2)
    for i in T.grid(31):
        with T.sblock("C"):
            vi = T.axis.remap("S", [i])
            C[vi] = B[vi + 1]
    for i in T.grid(31):
        with T.sblock("D"):
            vi = T.axis.remap("S", [i])
            C[vi] = C[vi] + B[vi]
    for i in T.grid(31):
        with T.sblock("E"):
            vi = T.axis.remap("S", [i])
            A[vi] = C[30 - vi]
