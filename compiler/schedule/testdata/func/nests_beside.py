from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 16), "float32"), B: T.Buffer((32, 16), "float32"), C: T.Buffer((32, 16), "float32")):
    for i, j in T.grid(32, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for p, q in T.grid(32, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [p, q])
            C[vi, vj] = A[vi, vj] + T.float32(1)
