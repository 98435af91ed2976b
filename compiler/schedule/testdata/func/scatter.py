@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), I: T.Buffer((16,), "int32"), C: T.Buffer((16, 8), "float32")):
    for i, j in T.grid(16, 8):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj], I[vi])
            T.writes(C[I[vi], vj])
            C[I[vi], vj] = A[vi, vj]
