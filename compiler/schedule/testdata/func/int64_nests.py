from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((T.int64(32), T.int64(16)), "float32"), B: T.Buffer((T.int64(32), T.int64(16)), "float32"), C: T.Buffer((T.int64(32), T.int64(16)), "float32")):
    for i, j in T.grid(T.int64(32), T.int64(16)):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(32, 16):
        with T.sblock("C"):
            vi = T.axis.spatial(T.int64(32), T.Cast("int64", i))
            vj = T.axis.spatial(T.int64(16), T.Cast("int64", j))
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(T.int64(32), T.int64(16)):
        with T.sblock("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = C[vi, vj] * B[vi, vj]
