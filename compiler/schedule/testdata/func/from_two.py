@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((16, 4), "float32")):
    for i in range(2, 16):
        for j in range(4):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi * 3 + vj] + A[vi * 3 + vj + 1]
