@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), C: T.Buffer((16,), "float32")):
    for i, k in T.grid(4, 6):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi * 4:vi * 4 + 4, vk * 4:vk * 4 + 4])
            T.writes(C[vi * 4:vi * 4 + 4])
            L = T.sblock_alloc_buffer((4,))
            CC = T.match_buffer(C[vi * 4:vi * 4 + 4], (4,), offset_factor=1)
            with T.init():
                for ii in T.serial(4):
                    CC[ii] = T.float32(0)
            for ii in T.serial(4):
                L[ii] = T.float32(0)
            for ii, kk in T.grid(4, 4):
                L[ii] = L[ii] + A[vi * 4 + ii, vk * 4 + kk]
            for ii in T.serial(4):
                CC[ii] = CC[ii] + L[ii]
