@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n, 24), "float32")
    C = T.match_buffer(c, (n * 24,), "float32")
    B = T.sblock_alloc_buffer((n, 24))
    for i, j in T.grid(n, 24):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i in T.grid(n * 24):
        with T.sblock("C"):
            vi = T.axis.spatial(n * 24, i)
            C[vi] = B[vi // 24, vi % 24]
