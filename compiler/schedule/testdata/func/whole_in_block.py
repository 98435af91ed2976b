# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((10, 6), "float32"), C: T.Buffer((10, 6), "float32")):
    B = T.sblock_alloc_buffer((10, 6))
    with T.sblock("B"):
        T.reads(A[0:10, 0:6])
        T.writes(B[0:10, 0:6])
        for i, j in T.grid(10, 6):
            B[i, j] = A[i, j] * T.float32(2.0)
    for i, j in T.grid(10, 6):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(B[vi, vj])
            T.writes(C[vi, vj])
            if vi % 4 < 2:
                C[vi, vj] = B[vi, vj]
            else:
                C[vi, vj] = B[vi, vj] + T.float32(1.0)
