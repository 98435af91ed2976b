from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 32), "float32"), C: T.Buffer((32,), "float32")):
    for i, k in T.grid(30, 28):
        with T.sblock("C"):
            vi = T.axis.spatial((2, 32), i + 2)
            vk = T.axis.reduce((4, 32), k + 4)
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, vk]
