from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), C: T.Buffer((16,), "float32")):
    for i in range(4):
        with T.sblock("O"):
            vo = T.axis.spatial(4, i)
            T.reads(A[vo * 4:vo * 4 + 4, 0:32])
            T.writes(C[vo * 4:vo * 4 + 4])
            for ii, k in T.grid(4, 32):
                with T.sblock("C"):
                    vi, vk = T.axis.remap("SR", [ii, k])
                    T.reads(A[vo * 4 + vi, vk])
                    T.writes(C[vo * 4 + vi])
                    with T.init():
                        C[vo * 4 + vi] = T.float32(0)
                    C[vo * 4 + vi] = C[vo * 4 + vi] + A[vo * 4 + vi, vk]
