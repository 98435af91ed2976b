# C += A · B of fragments; B is stored by columns when it is transposed.
@T.prim_func(s_tir=True)
def desc(
    A: T.Buffer(($m, $k), "$in", offset_factor=$fa, scope="wmma.matrix_a"),
    B: T.Buffer(($b0, $b1), "$in", offset_factor=$fb, scope="wmma.matrix_b"),
    C: T.Buffer(($m, $n), "$out", offset_factor=$fc, scope="wmma.accumulator"),
):
    with T.sblock("root"):
        T.reads(C[0:$m, 0:$n], A[0:$m, 0:$k], B[0:$b0, 0:$b1])
        T.writes(C[0:$m, 0:$n])
        for i, j, k in T.grid($m, $n, $k):
            with T.sblock("update"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                C[vi, vj] = C[vi, vj] + T.cast(A[vi, vk], "$out") * T.cast(B[$at], "$out")
