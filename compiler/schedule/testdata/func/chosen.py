@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), I: T.Buffer((16,), "int32"), C: T.Buffer((16, 8), "float32")):
    for i in range(16):
        for j in range(8):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[I[vi], vj], I[vi])
                T.writes(C[vi, vj])
                C[vi, vj] = A[I[vi], vj]
