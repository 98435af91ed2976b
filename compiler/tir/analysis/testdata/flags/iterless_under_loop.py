@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 16), "float32"), B: T.Buffer((32, 16), "float32")):
    for i in range(32):
        with T.sblock("rows"):
            T.reads(A[i, 0:16])
            T.writes(B[i, 0:16])
            for j in range(16):
                with T.sblock("copy"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B[vi, vj] = A[vi, vj]
# ----
# root affine=True cover=True pipeline=True
# rows affine=False cover=True pipeline=True reduction=False
# copy affine=True cover=True pipeline=True reduction=False
