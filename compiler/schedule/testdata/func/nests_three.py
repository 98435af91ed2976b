from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), B: T.Buffer((16, 8), "float32"), C: T.Buffer((16, 8), "float32"), D: T.Buffer((16, 8), "float32")):
    for i, j in T.grid(16, 8):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for p, q in T.grid(16, 8):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [p, q])
            T.where(p < 12)
            C[vi, vj] = A[vi, vj] * T.float32(3)
    for x in T.parallel(16):
        for y in T.vectorized(8):
            with T.sblock("D"):
                T.reads(A[x, y])
                T.writes(D[x, y])
                D[x, y] = A[x, y] + T.float32(1)
