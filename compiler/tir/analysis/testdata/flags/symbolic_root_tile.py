@T.prim_func(s_tir=True)
def f(a: T.handle, c: T.handle):

    n = T.int32()
    A = T.match_buffer(a, (n, 16), "float32")
    C = T.match_buffer(c, (n, 16), "float32")
    B = T.sblock_alloc_buffer((n, 16))
    for i0, i1, j in T.grid((n + 3) // 4, 4, 16):
        with T.sblock("B"):
            vi = T.axis.spatial(n, i0 * 4 + i1)
            vj = T.axis.spatial(16, j)
            T.where(i0 * 4 + i1 < n)
            B[vi, vj] = A[vi, vj]
    for i, j in T.grid(n, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj]
# ----
# root affine=True cover=True pipeline=True
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
