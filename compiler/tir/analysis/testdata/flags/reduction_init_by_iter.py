@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    for i, k in T.grid(16, 16):
        with T.sblock("init_by_k"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(C[vi, 1])
            with T.init():
                C[vi, vk - vk + 1] = T.float32(0)
            C[vi, 1] = C[vi, 1] + A[vi, vk]
# ----
# root affine=True cover=True pipeline=True
# init_by_k affine=True cover=True pipeline=True reduction=True
