@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 66), "float32"), C: T.Buffer((8, 32, 4), "float32"), D: T.Buffer((8, 32, 4), "float32")):
    for i, j, k in T.grid(8, 32, 4):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            C[vi, vj, vk] = A[vi * 4 + vk, vj * 2] + A[vi * 4 + vk, vj * 2 + 1] + A[vk + vi * 4, vj] + A[vi, vj * 2 + vk] * A[vj * 2, vi]
    for i, j, k in T.grid(8, 32, 4):
        with T.sblock("D"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            D[vi, vj, vk] = C[vi, vj, vk] + A[(vi * 8 + vk) // 2, (vi * 8 + vk) % 7 + vj] + A[(vi * 8 + vk) // 2 + 1, vj]
