@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    B = T.sblock_alloc_buffer((16, 16))
    for i0 in T.serial(4):
        for i1, j in T.grid(4, 16):
            with T.sblock("B_init"):
                vi = T.axis.spatial(16, i0 * 4 + i1)
                vj = T.axis.spatial(16, j)
                B[vi, vj] = T.float32(0)
        for i1, j, k in T.grid(4, 16, 16):
            with T.sblock("B_update"):
                vi = T.axis.spatial(16, i0 * 4 + i1)
                vj, vk = T.axis.remap("SR", [j, k])
                B[vi, vj] = B[vi, vj] + A[vi, vk]
        for i1, j in T.grid(4, 16):
            with T.sblock("C"):
                vi = T.axis.spatial(16, i0 * 4 + i1)
                vj = T.axis.spatial(16, j)
                C[vi, vj] = B[vi, vj]
# ----
# root affine=True cover=True pipeline=True
# B_init affine=True cover=True pipeline=True reduction=False
# B_update affine=True cover=True pipeline=True reduction=False
# C affine=True cover=True pipeline=True reduction=False
