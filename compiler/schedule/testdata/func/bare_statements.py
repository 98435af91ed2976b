from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32"), E: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("P"):
            vi = T.axis.spatial(16, i)
            T.reads(A[vi])
            T.writes(B[vi], D[vi])
            with T.sblock("Q"):
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = A[vi]
            D[vi] = A[vi]
    for i in range(16):
        E[i] = A[i]
    for i in range(16):
        with T.sblock("E"):
            vi = T.axis.spatial(16, i)
            E[vi] = A[vi] + E[vi]
