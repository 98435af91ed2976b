@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    for i, k in T.grid(16, 16):
        with T.sblock("local_by_k"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(C[vi, 2])
            L = T.sblock_alloc_buffer((16,))
            with T.init():
                C[vi, 2] = T.float32(0)
            L[vk] = A[vi, vk]
            C[vi, 2] = C[vi, 2] + L[vk]
# ----
# root affine=True cover=True pipeline=True
# local_by_k affine=True cover=True pipeline=True reduction=False
