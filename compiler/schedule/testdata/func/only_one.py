from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in T.grid(64):
        with T.sblock("B"):
            vi = T.axis.remap("S", [i])
            B[vi] = A[vi] + T.float32(1)
