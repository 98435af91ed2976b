from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((34, 34), "float32"), B: T.Buffer((32, 32), "float32"), C: T.Buffer((32,), "float32")):
    for i, j in T.grid(32, 32):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + A[vi + 1, vj + 2]
    for i, j in T.grid(32, 32):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + B[vi, vj]
