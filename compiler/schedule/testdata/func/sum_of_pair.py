from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), S: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16, 32))
    for i, k in T.grid(16, 32):
        with T.sblock("B"):
            vi, vk = T.axis.remap("SS", [i, k])
            B[vi, vk] = A[vi, vk] + T.float32(1)
    for i, k in T.grid(16, 32):
        with T.sblock("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + B[vi, vk]
