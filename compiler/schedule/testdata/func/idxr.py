@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), C: T.Buffer((16, 16), "float32"), I: T.Buffer((16,), "int32")):
    for i in range(4):
        for j, k, l in T.grid(4, 16, 4):
            with T.sblock("C"):
                vi = T.axis.spatial(16, i * 4 + j)
                vj, vk = T.axis.remap("SR", [k, l])
                with T.init():
                    C[vi // 2 * 2 + vi % 2, vj] = A[vi * 2 + 1, vj * 3]
                C[vi // 2 * 2 + vi % 2, vj] = C[vi // 2 * 2 + vi % 2, vj] + A[vi * 2 + vk, vj * 3] + A[vi * 2 + vk, vj * 3 + 1]
