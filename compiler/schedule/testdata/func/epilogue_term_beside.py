from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), E: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32"), F: T.Buffer((16,), "float32")):
    t = T.sblock_alloc_buffer((16,))
    C = T.sblock_alloc_buffer((16,))
    G = T.sblock_alloc_buffer((16,))
    for i in range(16):
        with T.sblock("G"):
            vi = T.axis.remap("S", [i])
            G[vi] = E[vi] + T.float32(1)
        for k in range(8):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    t[vi] = T.float32(0)
                t[vi] = t[vi] + A[vi, vk]
    for i in range(16):
        with T.sblock("D"):
            vi = T.axis.remap("S", [i])
            D[vi] = t[vi] + G[vi]
