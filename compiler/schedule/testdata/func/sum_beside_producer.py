from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), C: T.Buffer((16,), "float32")):
    B = T.sblock_alloc_buffer((16, 32))
    for i in range(16):
        for k in range(32):
            with T.sblock("B"):
                vi, vk = T.axis.remap("SS", [i, k])
                B[vi, vk] = A[vi, vk] + T.float32(1)
            with T.sblock("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + B[vi, vk]
