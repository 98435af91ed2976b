@T.prim_func(s_tir=True)
def main(A: T.Buffer((3, 6, 8), "float32"), B: T.Buffer((3, 8, 4), "float32"), C: T.Buffer((3, 6, 4), "float32")):
    for b, i, j, k in T.grid(3, 6, 4, 8):
        with T.sblock("C"):
            vb, vi, vj, vk = T.axis.remap("SSSR", [b, i, j, k])
            with T.init():
                C[vb, vi, vj] = T.float32(0)
            C[vb, vi, vj] = C[vb, vi, vj] + A[vb, vi, vk] * B[vb, vk, vj]
