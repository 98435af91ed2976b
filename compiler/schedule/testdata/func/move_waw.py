@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), C: T.Buffer((16, 24), "float32")):
    B = T.sblock_alloc_buffer((16, 24))
    for i, j in T.grid(16, 24):
        with T.sblock("B_init"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = T.float32(0)
    for i, j, k in T.grid(16, 24, 24):
        with T.sblock("B"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            B[vi, vj] = B[vi, vj] + A[vi, vk]
    for i, j in T.grid(16, 24):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj]
