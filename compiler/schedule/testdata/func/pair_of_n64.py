from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n, T.int64(64)))
    C = T.match_buffer(c, (n, T.int64(64)))
    B = T.sblock_alloc_buffer((n, T.int64(64)))
    for i, j in T.grid(n, T.int64(64)):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(n, T.int64(64)):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
