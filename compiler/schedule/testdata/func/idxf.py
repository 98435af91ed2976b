@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), C: T.Buffer((16, 16), "float32"), E: T.Buffer((16,), "float32")):
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            for q in range(2):
                C[vi, vj] = T.if_then_else(vi + vj < 20, T.exp(T.Cast("float32", vi)) + T.sqrt(T.float32(2) + T.Cast("float32", vj)), A[vi * 2, vj]) * T.Select(vi < 3, T.float32(1), T.float32(2))
    for i in range(16):
        with T.sblock("E"):
            vi = T.axis.spatial(16, i)
            for q in range(2):
                E[vi] = A[vi * 2 + q, 0] + A[vi * 3, 1]
