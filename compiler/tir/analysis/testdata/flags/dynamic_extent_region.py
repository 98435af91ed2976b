@T.prim_func(s_tir=True)
def f(a: T.handle, c: T.handle):

    n = T.int32()
    A = T.match_buffer(a, (n, 16), "float32")
    C = T.match_buffer(c, (n, 16), "float32")
    B = T.sblock_alloc_buffer((n, 16))
    with T.sblock("B"):
        T.reads(A[0:n, 0:16])
        T.writes(B[0:n, 0:16])
        T.evaluate(T.call_extern("int32", "f", A.data, B.data))
    for i, j in T.grid(n, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj]
# ----
# root affine=True cover=True pipeline=False
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=False pipeline=True reduction=False
