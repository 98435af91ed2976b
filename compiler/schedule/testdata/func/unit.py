@T.prim_func(s_tir=True)
def main(A: T.Buffer((1, 16, 1), "float32"), C: T.Buffer((16,), "float32"), D: T.Buffer((), "float32")):
    B = T.sblock_alloc_buffer((1, 16, 1))
    for u, i, w in T.grid(1, 16, 1):
        with T.sblock("B"):
            vu, vi, vw = T.axis.remap("SSS", [u, i, w])
            B[vu, vi, vw] = A[vu, vi, vw] * T.float32(2)
    for i in range(16):
        with T.sblock("C"):
            vi = T.axis.remap("S", [i])
            C[vi] = B[0, vi, 0]
    with T.sblock("D"):
        T.reads(C[3])
        T.writes(D[()])
        D[()] = C[3]
