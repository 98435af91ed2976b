# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 1, 32), "float16"), C: T.Buffer((16, 1, 32), "float16")):
    for i in range(4):
        with T.sblock("o"):
            vo = T.axis.spatial(4, i)
            T.reads(A[vo * 4:vo * 4 + 4, 0, 0:32])
            T.writes(C[vo * 4:vo * 4 + 4, 0, 0:32])
            B = T.sblock_alloc_buffer((4, 1, 32), "float16")
            for i1, j, k in T.grid(4, 1, 32):
                with T.sblock("B"):
                    vi, vj, vk = T.axis.remap("SSS", [i1, j, k])
                    T.reads(A[vo * 4 + vi, vj, vk])
                    T.writes(B[vi, vj, vk])
                    B[vi, vj, vk] = A[vo * 4 + vi, vj, vk] * T.float16(2)
            for i1, j, k in T.grid(4, 1, 32):
                with T.sblock("C"):
                    vi, vj, vk = T.axis.remap("SSS", [i1, j, k])
                    T.reads(B[vi, vj, vk])
                    T.writes(C[vo * 4 + vi, vj, vk])
                    C[vo * 4 + vi, vj, vk] = B[vi, vj, vk] + T.float16(1)
