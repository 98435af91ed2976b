@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 16), "float32"), B: T.Buffer((32, 16), "float32")):
    for i, j in T.grid(32, 16):
        with T.sblock("sum"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i + j < 64)
            B[vi, vj] = A[vi, vj]
    for i, j, k in T.grid(32, 1, 16):
        with T.sblock("unit"):
            vi = T.axis.spatial(32, i)
            vj = T.axis.spatial(16, j * 16 + k)
            T.where(k < 12)
            A[vi, vj] = B[vi, vj]
# ----
# root affine=True cover=True pipeline=False
# sum affine=False cover=True pipeline=True reduction=False
# unit affine=False cover=False pipeline=True reduction=False
