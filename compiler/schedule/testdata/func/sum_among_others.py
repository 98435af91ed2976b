from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), D: T.Buffer((16,), "float32"), E: T.Buffer((16, 32), "float32")):
    B = T.sblock_alloc_buffer((16, 32))
    C = T.sblock_alloc_buffer((16,), scope="shared")
    for i, k in T.grid(16, 32):
        with T.sblock("B"):
            vi, vk = T.axis.remap("SS", [i, k])
            B[vi, vk] = A[vi, vk] + T.float32(1)
    for i, k in T.grid(16, 32):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + B[vi, vk]
    for i in T.grid(16):
        with T.sblock("D"):
            vi = T.axis.remap("S", [i])
            D[vi] = C[vi] * T.float32(2)
    for i, k in T.grid(16, 32):
        with T.sblock("E"):
            vi, vk = T.axis.remap("SS", [i, k])
            E[vi, vk] = B[vi, vk] + C[vi]
