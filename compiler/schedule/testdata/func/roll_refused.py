@T.prim_func(s_tir=True)
def main(m: T.int32, A: T.Buffer((32,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.sblock_alloc_buffer((32,))
    for i in range(8):
        for k in range(m):
            with T.sblock("B"):
                vb = T.axis.spatial(32, i + k)
                T.reads(A[vb])
                T.writes(B[vb])
                B[vb] = A[vb]
        with T.sblock("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi])
            T.writes(C[vi])
            C[vi] = B[vi]
