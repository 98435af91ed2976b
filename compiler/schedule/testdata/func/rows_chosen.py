from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "int32"), B: T.Buffer((16, 14), "float32"), C: T.Buffer((16, 14), "float32")):
    for i, j in T.grid(16, 14):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(B[0:16, vj], A[vi])
            T.writes(C[vi, vj])
            C[vi, vj] = B[A[vi] % 16, vj] + T.float32(1)
