@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle, n: T.int32, m: T.int32):
    A = T.match_buffer(a, (n, m * 16))
    C = T.match_buffer(c, (n, m * 16))
    for i, j, k in T.grid(n, m, 16):
        with T.sblock("copy"):
            vi = T.axis.spatial(n, i)
            vj = T.axis.spatial(m * 16, j * 16 + k)
            C[vi, vj] = A[vi, vj]
