@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    for i, k in T.grid(16, 16):
        with T.sblock("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi, 0] = T.float32(0)
            C[vi, 0] = C[vi, 0] + A[vi, vk]
# ----
# root affine=True cover=True pipeline=True
# sum affine=True cover=True pipeline=True reduction=True
