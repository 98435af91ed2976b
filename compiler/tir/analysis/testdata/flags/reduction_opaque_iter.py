@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    for i, k in T.grid(16, 16):
        with T.sblock("opaque_iter"):
            vi = T.axis.spatial(16, i)
            vk = T.axis.opaque(16, k)
            with T.init():
                C[vi, 4] = T.float32(0)
            C[vi, 4] = C[vi, 4] + A[vi, vk]
# ----
# root affine=True cover=True pipeline=True
# opaque_iter affine=True cover=True pipeline=True reduction=False
