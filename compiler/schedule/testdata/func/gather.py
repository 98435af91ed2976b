@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float32"), I: T.Buffer((16,), "int32"), C: T.Buffer((16, 16), "float32")):
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[0:16, vj], I[vi])
            T.writes(C[vi, vj])
            C[vi, vj] = A[I[vi], vj]
