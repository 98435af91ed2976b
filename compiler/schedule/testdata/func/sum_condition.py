from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 30), "float32"), C: T.Buffer((16,), "float32")):
    for i, k0, k1 in T.grid(16, 4, 8):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            vk = T.axis.reduce(30, k0 * 8 + k1)
            T.where(k0 * 8 + k1 < 30)
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, vk]
