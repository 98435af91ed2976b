from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), D: T.Buffer((16, 32), "float32")):
    B = T.sblock_alloc_buffer((16, 32))
    C = T.sblock_alloc_buffer((16, 32))
    for i, k in T.grid(16, 32):
        with T.sblock("BC"):
            vi, vk = T.axis.remap("SS", [i, k])
            T.sblock_attr({"note": 1})
            B[vi, vk] = A[vi, vk] + T.float32(1)
            C[vi, vk] = A[vi, vk] + T.float32(2)
    for i, k in T.grid(16, 32):
        with T.sblock("D"):
            vi, vk = T.axis.remap("SS", [i, k])
            D[vi, vk] = B[vi, vk] + C[15 - vi, vk]
