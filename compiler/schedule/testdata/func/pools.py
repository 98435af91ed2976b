# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((12, 12), "float32"), C: T.Buffer((8, 8), "float32")):
    B = T.sblock_alloc_buffer((10, 10))
    for i, j, k in T.grid(10, 10, 3):
        with T.sblock("B"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(A[vi + vk, vj])
            T.writes(B[vi, vj])
            with T.init():
                B[vi, vj] = T.float32(-1000.0)
            B[vi, vj] = T.max(B[vi, vj], A[vi + vk, vj])
    for i, j, k, l in T.grid(8, 8, 3, 3):
        with T.sblock("C"):
            vi, vj, vk, vl = T.axis.remap("SSRR", [i, j, k, l])
            T.reads(B[vi + vk, vj + vl])
            T.writes(C[vi, vj])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + B[vi + vk, vj + vl]
