from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), B: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32")):
    for i in range(16):
        with T.sblock("O"):
            vi = T.axis.spatial(16, i)
            T.reads(B[vi], A[vi, 0:8])
            T.writes(B[vi], D[vi])
            with T.init():
                with T.sblock("ini"):
                    B[vi] = T.float32(0)
            for k in range(8):
                with T.sblock("S"):
                    vk = T.axis.reduce(8, k)
                    T.reads(B[vi], A[vi, vk])
                    T.writes(B[vi])
                    B[vi] = B[vi] + A[vi, vk]
            with T.sblock("Z"):
                T.reads(B[vi])
                T.writes(D[vi])
                D[vi] = B[vi]
