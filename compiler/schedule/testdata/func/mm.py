@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 24), "float32"), B: T.Buffer((24, 16), "float32"), D: T.Buffer((32, 16), "float32")):
    C = T.sblock_alloc_buffer((32, 16))
    for i, j, k in T.grid(32, 16, 24):
        with T.sblock("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(32, 16):
        with T.sblock("relu"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = T.max(C[vi, vj], T.float32(0))
