@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.sblock_alloc_buffer((8,))
    for i in range(8):
        with T.sblock("B"):
            vi = T.axis.opaque(8, i)
            T.reads(B[vi - 1], A[vi])
            T.writes(B[vi])
            B[vi] = T.if_then_else(1 <= vi, B[vi - 1], T.float32(0)) + A[vi]
    for i in range(8):
        with T.sblock("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[vi])
            T.writes(C[vi])
            C[vi] = B[vi]
