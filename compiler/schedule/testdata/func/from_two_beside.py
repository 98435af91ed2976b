@T.prim_func(s_tir=True)
def main(A: T.Buffer((20,), "float32"), B: T.Buffer((20,), "float32"), C: T.Buffer((20,), "float32")):
    for i in range(2, 20):
        with T.sblock("B"):
            vi = T.axis.spatial(20, i)
            B[vi] = A[vi]
    for i in range(2, 20):
        with T.sblock("C"):
            vi = T.axis.spatial(20, i)
            C[vi] = A[vi]
