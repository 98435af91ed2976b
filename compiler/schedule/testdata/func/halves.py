@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32"), E: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16,))
    C = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i)
            B[vi] = A[vi] + T.float32(1)
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = A[vi] * T.float32(2)
    for i in range(16):
        with T.sblock("D"):
            vi = T.axis.spatial(16, i)
            D[vi] = B[vi // 2]
    for i in range(16):
        with T.sblock("E"):
            vi = T.axis.spatial(16, i)
            E[vi] = C[vi % 4]
