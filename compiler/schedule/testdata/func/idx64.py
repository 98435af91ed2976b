@T.prim_func(s_tir=True)
def main(A: T.Buffer((T.int64(64), T.int64(64)), "float32"), C: T.Buffer((T.int64(16), T.int64(16)), "float32")):
    for i, j in T.grid(T.int64(16), T.int64(16)):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi * T.int64(2) + T.int64(1), vj * T.int64(3) + vi] + T.Cast("float32", vi + vj)
