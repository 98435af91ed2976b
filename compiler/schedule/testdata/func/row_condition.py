from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((100,), "float32"), B: T.Buffer((100,), "float32"), C: T.Buffer((100,), "float32")):
    for i in range(128):
        with T.sblock("B"):
            vi = T.axis.spatial(100, i)
            T.where(i < 100)
            B[vi] = A[vi] * T.float32(2)
    for i in range(100):
        with T.sblock("C"):
            vi = T.axis.spatial(100, i)
            C[vi] = A[vi] * T.float32(2)
