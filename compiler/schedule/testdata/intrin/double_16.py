@T.prim_func(s_tir=True)
def desc(A: T.Buffer((16,), "float32", offset_factor=1), C: T.Buffer((16,), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads(A[0:16])
        T.writes(C[0:16])
        for i in range(16):
            with T.sblock("element"):
                vi = T.axis.spatial(16, i)
                C[vi] = A[vi] * T.float32(2)

@T.prim_func(s_tir=True)
def impl(A: T.Buffer((16,), "float32", strides=("s",), offset_factor=1), C: T.Buffer((16,), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads(A[0:16])
        T.writes(C[0:16])
        T.sblock_attr({"mark": 2, "lanes": 4})
        for i in range(4):
            for j in T.vectorized(4):
                with T.sblock("lanes"):
                    vi = T.axis.spatial(16, i * 4 + j)
                    C[vi] = A[vi] + A[vi]
