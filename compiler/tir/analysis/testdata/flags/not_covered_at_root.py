@T.prim_func(s_tir=True)
def f(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    for i in range(120):
        with T.sblock("producer"):
            vi = T.axis.spatial((0, 120), i)
            A[vi] = 1.0
    for i in range(120):
        with T.sblock("consumer"):
            vi = T.axis.spatial((8, 128), i + 8)
            B[vi] = A[vi]
# ----
# root affine=True cover=True pipeline=False
# producer affine=True cover=True pipeline=True reduction=False
# consumer affine=True cover=False pipeline=True reduction=False
