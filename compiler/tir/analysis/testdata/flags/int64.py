@T.prim_func(s_tir=True)
def f(A: T.Buffer((T.int64(16), T.int64(16)), "float32"), C: T.Buffer((T.int64(16), T.int64(16)), "float32")):

    B = T.sblock_alloc_buffer((T.int64(16), T.int64(16)))
    for i, j in T.grid(T.int64(16), T.int64(16)):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj]
    for i0, i1, j in T.grid(T.int64(4), T.int64(4), T.int64(16)):
        with T.sblock("C"):
            vi = T.axis.spatial(T.int64(16), i0 * T.int64(4) + i1)
            vj = T.axis.spatial(T.int64(16), j)
            C[vi, vj] = B[vi, vj]
# ----
# root affine=True cover=True pipeline=True
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
