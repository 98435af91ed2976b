@T.prim_func(s_tir=True)
def main(A: T.Buffer((T.int64(32), T.int64(16)), "float32"), B: T.Buffer((T.int64(16), T.int64(48)), "float32"), C: T.Buffer((T.int64(32), T.int64(48)), "float32")):
    for i, j, k in T.grid(T.int64(32), T.int64(48), T.int64(16)):
        with T.sblock("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
