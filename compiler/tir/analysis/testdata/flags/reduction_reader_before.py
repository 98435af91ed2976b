@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    D = T.sblock_alloc_buffer((16, 16))
    for i, k in T.grid(16, 16):
        with T.sblock("D"):
            vi, vk = T.axis.remap("SS", [i, k])
            D[vi, vk] = C[vi, vk]
    for i, k in T.grid(16, 16):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi, 0] = T.float32(0)
            C[vi, 0] = C[vi, 0] + D[vi, vk]
# ----
# root affine=True cover=True pipeline=False
# D affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=True
