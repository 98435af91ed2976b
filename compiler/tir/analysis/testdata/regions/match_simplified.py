@T.prim_func(s_tir=True)
def f(A: T.Buffer((T.int64(64), T.int64(64)), "float32"), C: T.Buffer((T.int64(64), T.int64(64)), "float32")):
    for i, j in T.grid(T.int64(16), T.int64(16)):
        with T.sblock("view"):
            vi, vj = T.axis.remap("SS", [i, j])
            M = T.match_buffer(A[vi * T.int64(4):vi * T.int64(4) + T.int64(4), T.int64(0):T.int64(16)], (T.int64(4), T.int64(16)), offset_factor=1)
            C[T.shift_right(vi, T.int64(1)), vj] = M[vi % T.int64(2) + vj % T.int64(2) + vj % T.int64(2), T.int64(3)]
# ----
# with T.sblock("view"):
# T.reads(A[vi * T.int64(4) + (vj % T.int64(2) * T.int64(2) + vi % T.int64(2)), T.int64(3)])
# T.writes(C[0:T.int64(64), vj])
