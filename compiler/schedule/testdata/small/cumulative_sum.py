@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 12), "float32"), C: T.Buffer((6, 12), "float32")):
    B = T.sblock_alloc_buffer((6, 12))
    for i, k in T.grid(6, 12):
        with T.sblock("B"):
            vi = T.axis.spatial(6, i)
            vk = T.axis.scan(12, k)
            B[vi, vk] = T.if_then_else(vk == 0, T.float32(0), B[vi, vk - 1]) + A[vi, vk]
    for i, j in T.grid(6, 12):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + T.float32(1)
