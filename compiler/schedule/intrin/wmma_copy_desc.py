# A fragment is read from memory, or written there.
@T.prim_func(s_tir=True)
def desc(
    A: T.Buffer(($r, $s), "$t", offset_factor=$f, scope="$from"),
    C: T.Buffer(($r, $s), "$t", offset_factor=$f, scope="$to"),
):
    with T.sblock("root"):
        T.reads(A[0:$r, 0:$s])
        T.writes(C[0:$r, 0:$s])
        for i, j in T.grid($r, $s):
            with T.sblock("copy"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj]
