# A fragment becomes zero.
@T.prim_func(s_tir=True)
def desc(C: T.Buffer(($m, $n), "$t", offset_factor=$f, scope="wmma.accumulator")):
    with T.sblock("root"):
        T.reads()
        T.writes(C[0:$m, 0:$n])
        for i, j in T.grid($m, $n):
            with T.sblock("init"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.$t(0)
