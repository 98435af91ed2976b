@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    for i, k in T.grid(4, 16):
        with T.sblock("x"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi * 4:vi * 4 + 4, vk])
            T.writes(C[vi * 4:vi * 4 + 4, 3])
            with T.init():
                for ii in T.serial(4):
                    with T.sblock("xi"):
                        vii = T.axis.spatial(4, ii)
                        C[vi * 4 + vii, 3] = T.float32(0)
            for ii in T.serial(4):
                with T.sblock("in"):
                    vii = T.axis.spatial(4, ii)
                    C[vi * 4 + vii, 3] = C[vi * 4 + vii, 3] + A[vi * 4 + vii, vk]
# ----
# root affine=True cover=True pipeline=True
# x affine=True cover=True pipeline=True reduction=True
# in affine=True cover=True pipeline=True reduction=False
