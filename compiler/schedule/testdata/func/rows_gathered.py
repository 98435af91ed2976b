from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), I: T.Buffer((16,), "int32"), D: T.Buffer((16, 32), "float32")):
    B = T.sblock_alloc_buffer((16, 32))
    for i, k in T.grid(16, 32):
        with T.sblock("B"):
            vi, vk = T.axis.remap("SS", [i, k])
            B[vi, vk] = A[vi, vk] + T.float32(1)
    for i, k in T.grid(16, 32):
        with T.sblock("D"):
            vi, vk = T.axis.remap("SS", [i, k])
            T.reads(B[0:16, vk], I[vi])
            T.writes(D[vi, vk])
            D[vi, vk] = B[I[vi] % 16, vk]
