from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(a: T.handle, b: T.handle, n: T.int64):
    A = T.match_buffer(a, (n, T.int64(16)), "float32")
    B = T.match_buffer(b, (n, T.int64(16)), "float32")
    C = T.sblock_alloc_buffer((n, T.int64(16)), "float32")
    for i, j in T.grid(n, T.int64(16)):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(n, T.int64(16)):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = C[vi, vj] + T.float32(1)
