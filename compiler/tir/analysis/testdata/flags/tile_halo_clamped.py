@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    B = T.sblock_alloc_buffer((16, 16))
    for i0 in T.serial(4):
        for i1, j in T.grid(6, 16):
            with T.sblock("B"):
                vi = T.axis.spatial(16, i0 * 4 + i1)
                vj = T.axis.spatial(16, j)
                T.where(i0 * 4 + i1 < 16)
                B[vi, vj] = A[vi, vj]
        for i1, j, k in T.grid(4, 16, 3):
            with T.sblock("C"):
                vi = T.axis.spatial(16, i0 * 4 + i1)
                vj, vk = T.axis.remap("SR", [j, k])
                T.where(i0 * 4 + i1 + k < 16)
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + B[vi + vk, vj]
# ----
# root affine=True cover=True pipeline=True
# B affine=True cover=True pipeline=True reduction=False
# C affine=False cover=True pipeline=True reduction=False
