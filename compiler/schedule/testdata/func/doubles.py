@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 64), "float32"), B: T.Buffer((4, 64), "float32"), C: T.Buffer((4, 64), "float32"), D: T.Buffer((T.int64(2), T.int64(32)), "float32")):
    for i, j in T.grid(4, 64):
        with T.sblock("twice"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(4, 64):
        with T.sblock("thrice"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] * T.float32(3)
    for i, j in T.grid(T.int64(2), T.int64(32)):
        with T.sblock("own"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(4, 64):
        with T.sblock("self"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = C[vi, vj] * T.float32(2)
    for i, j in T.grid(4, 64):
        with T.sblock("reversed"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, 63 - vj] * T.float32(2)
