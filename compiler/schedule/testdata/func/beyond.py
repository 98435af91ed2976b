@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.sblock("C"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi - 1])
            T.writes(C[vi])
            C[vi] = T.if_then_else(1 <= vi, A[vi - 1], T.float32(0))
