# The dot products of $n rows of B with the $k elements of A are added to C.
@T.prim_func(s_tir=True)
def desc(
    A: T.Buffer(($k,), "$a", offset_factor=1),
    B: T.Buffer(($n, $k), "$b", offset_factor=1),
    C: T.Buffer(($n,), "$c", offset_factor=1),
):
    with T.sblock("root"):
        T.reads(C[0:$n], A[0:$k], B[0:$n, 0:$k])
        T.writes(C[0:$n])
        for row, k in T.grid($n, $k):
            with T.sblock("update"):
                vrow, vk = T.axis.remap("SR", [row, k])
                C[vrow] = C[vrow] + T.cast(A[vk], "$c") * T.cast(B[vrow, vk], "$c")
