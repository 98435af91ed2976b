@T.prim_func(s_tir=True)
def main(A: T.Buffer((1,), "float32"), C: T.Buffer((1,), "float32")):
    with T.sblock("C"):
        vi = T.axis.spatial(1, 0)
        T.reads(A[vi])
        T.writes(C[vi])
        C[vi] = A[vi] + T.float32(1)
