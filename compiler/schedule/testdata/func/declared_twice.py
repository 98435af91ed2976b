from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((8, 16), "float32"), D: T.Buffer((8, 16), "float32")):
    C = T.sblock_alloc_buffer((8, 16))
    for i, j in T.grid(8, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi * 2, vj], A[vi * 2 + 1, vj])
            T.writes(C[vi, vj], C[vi, vj])
            C[vi, vj] = A[vi * 2, vj] + A[vi * 2 + 1, vj]
    for i, j in T.grid(8, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(C[vi, vj], C[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = C[vi, vj]
    for i, j in T.grid(8, 16):
        with T.sblock("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(B[vi, vj], B[vi, vj])
            T.writes(D[vi, vj])
            D[vi, vj] = B[vi, vj]
