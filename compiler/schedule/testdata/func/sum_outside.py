from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 16, 4), "float32"), C: T.Buffer((16, 4), "float32")):
    for k in range(32):
        for i in T.parallel(16):
            for j in T.vectorized(4):
                with T.sblock("C"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        C[vi, vj] = T.float32(0)
                    C[vi, vj] = C[vi, vj] + A[vk, vi, vj]
