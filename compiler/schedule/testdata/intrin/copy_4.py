@T.prim_func(s_tir=True)
def desc(A: T.Buffer((4,), "float32", offset_factor=1), C: T.Buffer((4,), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads(A[0:4])
        T.writes(C[0:4])
        for i in range(4):
            with T.sblock("element"):
                vi = T.axis.spatial(4, i)
                C[vi] = A[vi]

@T.prim_func(s_tir=True)
def impl(A: T.Buffer((4,), "float32", offset_factor=1), C: T.Buffer((4,), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads(A[0:4])
        T.writes(C[0:4])
        for i in T.vectorized(4):
            with T.sblock("lanes"):
                vi = T.axis.spatial(4, i)
                C[vi] = A[vi]
