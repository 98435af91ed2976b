@T.prim_func(s_tir=True)
def main(J: T.Buffer((16,), "int32"), E: T.Buffer((16,), "int32"), F: T.Buffer((16,), "int32")):
    K = T.sblock_alloc_buffer((16,), "int32")
    L = T.sblock_alloc_buffer((16,), "int32")
    for i in range(16):
        with T.sblock("K"):
            vi = T.axis.spatial(16, i)
            K[vi] = J[vi]
    for i in range(16):
        with T.sblock("E"):
            vi = T.axis.spatial(16, i)
            E[K[vi]] = vi
    for i in range(16):
        with T.sblock("L"):
            vi = T.axis.spatial(16, i)
            L[vi] = J[vi]
    for i in range(16):
        with T.sblock("F"):
            vi = T.axis.spatial(16, i)
            F[L[vi]] = L[15 - vi]
