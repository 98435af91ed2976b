@T.prim_func(s_tir=True)
def main(A: T.Buffer((12, 8), "float32"), B: T.Buffer((8, 10), "float32"), C: T.Buffer((12, 10), "float32")):
    for i, j, k in T.grid(12, 10, 8):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
