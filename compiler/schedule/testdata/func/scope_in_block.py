from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), B: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("O"):
            vi = T.axis.spatial(16, i)
            T.reads(A[vi, 0:8])
            T.writes(B[vi])
            C = T.sblock_alloc_buffer((8,))
            with T.init():
                with T.sblock("ini"):
                    B[vi] = T.float32(0)
            for k in range(8):
                with T.sblock("C"):
                    vk = T.axis.spatial(8, k)
                    C[vk] = A[vi, vk] * T.float32(2)
            for k in range(8):
                with T.sblock("S"):
                    vk = T.axis.reduce(8, k)
                    with T.init():
                        B[vi] = T.float32(0)
                    B[vi] = B[vi] + C[vk]
