@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    for i, k in T.grid(16, 4):
        with T.sblock("x"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk * 4:vk * 4 + 4])
            T.writes(C[vi, 3])
            with T.init():
                C[vi, 3] = T.float32(0)
            CC = T.match_buffer(C[vi, 3], (), offset_factor=1)
            AA = T.match_buffer(A[vi, vk * 4:vk * 4 + 4], (4,), offset_factor=1)
            for kk in T.serial(4):
                with T.sblock("in"):
                    vkk = T.axis.reduce(4, kk)
                    CC[()] = CC[()] + AA[vkk]
# ----
# root affine=True cover=True pipeline=True
# x affine=True cover=True pipeline=True reduction=True
# in affine=True cover=True pipeline=True reduction=False
