# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((T.int64(10), T.int64(12)), "int32"), C: T.Buffer((T.int64(10), T.int64(12)), "int32")):
    B = T.sblock_alloc_buffer((T.int64(10), T.int64(12)), "int32")
    for i, j in T.grid(T.int64(10), T.int64(12)):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj] + 1
    for i, j in T.grid(T.int64(10), T.int64(12)):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(B[vi, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = B[vi, vj] * 3
