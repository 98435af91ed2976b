@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 6, 6), "float32"), W: T.Buffer((3, 3), "float32"), D: T.Buffer((4, 4, 4), "float32")):
    B = T.sblock_alloc_buffer((4, 6, 6))
    C = T.sblock_alloc_buffer((4, 4, 4))
    for n, i, j in T.grid(4, 6, 6):
        with T.sblock("B"):
            vn, vi, vj = T.axis.remap("SSS", [n, i, j])
            B[vn, vi, vj] = A[vn, vi, vj] * T.float32(2)
    for n, i, j, p, q in T.grid(4, 4, 4, 3, 3):
        with T.sblock("C"):
            vn, vi, vj, vp, vq = T.axis.remap("SSSRR", [n, i, j, p, q])
            with T.init():
                C[vn, vi, vj] = T.float32(0)
            C[vn, vi, vj] = C[vn, vi, vj] + B[vn, vi + vp, vj + vq] * W[vp, vq]
    for n, i, j in T.grid(4, 4, 4):
        with T.sblock("D"):
            vn, vi, vj = T.axis.remap("SSS", [n, i, j])
            D[vn, vi, vj] = T.max(C[vn, vi, vj], T.float32(0))
