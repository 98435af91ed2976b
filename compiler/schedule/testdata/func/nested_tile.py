@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    for i, j in T.grid(4, 64):
        with T.sblock("tile"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi * 16:vi * 16 + 16, vj])
            T.writes(C[vi * 16:vi * 16 + 16, vj])
            L = T.sblock_alloc_buffer((16,))
            for k in range(16):
                with T.sblock("load"):
                    vk = T.axis.spatial(16, k)
                    L[vk] = A[vi * 16 + vk, vj]
            for k in range(16):
                with T.sblock("store"):
                    vk = T.axis.spatial(16, k)
                    C[vi * 16 + vk, vj] = L[vk] + T.float32(1)
