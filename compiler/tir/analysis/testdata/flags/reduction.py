@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64,), "float32")):
    B = T.sblock_alloc_buffer((64,))
    for i, k in T.grid(64, 64):
        with T.sblock("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 0.0
            B[vi] = B[vi] + A[vi, vk]
    for i in range(64):
        with T.sblock("C"):
            vi = T.axis.spatial(64, i)
            C[vi] = B[vi] * 2.0
# ----
# root affine=True cover=True pipeline=True
# B affine=True cover=True pipeline=True reduction=True
# C affine=True cover=True pipeline=True reduction=False
