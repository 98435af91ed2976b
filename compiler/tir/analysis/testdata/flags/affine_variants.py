@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    for i, j in T.grid(16, 16):
        with T.sblock("a_mul"):
            vi = T.axis.spatial(32, i * 2)
            vj = T.axis.spatial(16, j)
            C[vi // 2, vj] = A[vi // 2, vj]
    for i, j in T.grid(16, 16):
        with T.sblock("b_neg"):
            vi = T.axis.spatial(16, 15 - i)
            vj = T.axis.spatial(16, j)
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(16, 16):
        with T.sblock("c_same"):
            vi = T.axis.spatial(16, i)
            vj = T.axis.spatial(16, i)
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(16, 16):
        with T.sblock("d_const"):
            vi = T.axis.spatial(16, i)
            vj = T.axis.spatial(16, 3)
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(16, 16):
        with T.sblock("e_divmod"):
            vi = T.axis.spatial(16, (i * 16 + j) // 16)
            vj = T.axis.spatial(16, (i * 16 + j) % 16)
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(16, 16):
        with T.sblock("f_sum"):
            vi = T.axis.spatial(31, i + j)
            C[vi // 2, vi % 16] = A[vi // 2, vi % 16]
    for i, j in T.grid(16, 16):
        with T.sblock("g_off"):
            vi = T.axis.spatial((0, 20), i + 4)
            vj = T.axis.spatial(16, j)
            C[vi - 4, vj] = A[vi - 4, vj]
    for f in T.serial(256):
        with T.sblock("h_fused"):
            vi = T.axis.spatial(16, f // 16)
            vj = T.axis.spatial(16, f % 16)
            C[vi, vj] = A[vi, vj]
    for f in T.serial(256):
        with T.sblock("i_half"):
            vi = T.axis.spatial(16, f // 16)
            C[vi, 0] = A[vi, 0]
    for f in T.serial(256):
        with T.sblock("j_mod"):
            vi = T.axis.spatial(16, f % 16)
            C[vi, 0] = A[vi, 0]
    for i, j in T.grid(16, 16):
        with T.sblock("k_loadidx"):
            vi = T.axis.spatial(16, T.min(i, 7))
            vj = T.axis.spatial(16, j)
            C[vi, vj] = A[vi, vj]
    for i in T.serial(2, 16):
        for j in T.serial(16):
            with T.sblock("l_min"):
                vi = T.axis.spatial((2, 16), i)
                vj = T.axis.spatial(16, j)
                C[vi, vj] = A[vi, vj]
    for i in T.serial(16):
        for j in T.serial(i + 1):
            with T.sblock("m_tri"):
                vi = T.axis.spatial(16, i)
                vj = T.axis.spatial(16, j)
                C[vi, vj] = A[vi, vj]
    for i, j in T.grid(16, 1):
        with T.sblock("n_unit"):
            vi = T.axis.spatial(16, i)
            vj = T.axis.spatial(1, j)
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(4, 7):
        with T.sblock("o_pred"):
            vi = T.axis.spatial(16, i * 7 + j)
            T.where(i * 7 + j < 16)
            C[vi, 0] = A[vi, 0]
    for i, j in T.grid(4, 7):
        with T.sblock("p_pred2"):
            vi = T.axis.spatial(4, i)
            vj = T.axis.spatial(7, j)
            T.where(i * 7 + j < 16)
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(4, 7):
        with T.sblock("q_pred3"):
            vi = T.axis.spatial(4, i)
            vj = T.axis.spatial(7, j)
            T.where(i + j != 3)
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(4, 7):
        with T.sblock("r_pred4"):
            vi = T.axis.spatial(4, i)
            vj = T.axis.spatial(7, j)
            T.where(i < 3 and j >= 2)
            C[vi, vj] = A[vi, vj]
# ----
# root affine=True cover=True pipeline=True
# a_mul affine=False cover=True pipeline=True reduction=False
# b_neg affine=False cover=True pipeline=True reduction=False
# c_same affine=False cover=True pipeline=True reduction=False
# d_const affine=True cover=True pipeline=True reduction=False
# e_divmod affine=True cover=True pipeline=True reduction=False
# f_sum affine=True cover=True pipeline=True reduction=False
# g_off affine=True cover=True pipeline=True reduction=False
# h_fused affine=True cover=True pipeline=True reduction=False
# i_half affine=True cover=True pipeline=True reduction=False
# j_mod affine=True cover=True pipeline=True reduction=False
# k_loadidx affine=False cover=True pipeline=True reduction=False
# l_min affine=True cover=True pipeline=True reduction=False
# m_tri affine=False cover=True pipeline=True reduction=False
# n_unit affine=True cover=True pipeline=True reduction=False
# o_pred affine=True cover=True pipeline=True reduction=False
# p_pred2 affine=False cover=True pipeline=True reduction=False
# q_pred3 affine=False cover=True pipeline=True reduction=False
# r_pred4 affine=True cover=True pipeline=True reduction=False
