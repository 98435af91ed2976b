from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((), "float32"), B: T.Buffer((4,), "float32")):
    for i in T.grid(4):
        with T.sblock("B"):
            vi = T.axis.remap("S", [i])
            B[vi] = A[()] + T.float32(1)
