@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 32), "float16", scope="shared"), X: T.Buffer((32, 32), "float16", scope="wmma.matrix_a"), Y: T.Buffer((32, 32), "float16", scope="wmma.matrix_b"), Z: T.Buffer((32, 32), "float32", scope="wmma.accumulator"), C: T.Buffer((32, 32), "float32")):
    for i, j in T.grid(32, 32):
        with T.sblock("load"):
            vi, vj = T.axis.remap("SS", [i, j])
            X[vi, vj] = A[vi, vj]
    for i, j, k in T.grid(32, 32, 32):
        with T.sblock("mma"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                Z[vi, vj] = T.float32(0)
            Z[vi, vj] = Z[vi, vj] + T.Cast("float32", X[vi, vk]) * T.Cast("float32", Y[vk, vj])
    for i, j in T.grid(T.int64(32), T.int64(32)):
        with T.sblock("store"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = Z[vi, vj]
