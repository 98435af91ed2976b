@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 12), "float32"), B: T.Buffer((12, 6), "float32"), bias: T.Buffer((6,), "float32"), E: T.Buffer((8, 6), "float32")):
    C = T.sblock_alloc_buffer((8, 6))
    D = T.sblock_alloc_buffer((8, 6))
    for i, j, k in T.grid(8, 6, 12):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(8, 6):
        with T.sblock("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = C[vi, vj] + bias[vj]
    for i, j in T.grid(8, 6):
        with T.sblock("E"):
            vi, vj = T.axis.remap("SS", [i, j])
            E[vi, vj] = T.max(D[vi, vj], T.float32(0))
