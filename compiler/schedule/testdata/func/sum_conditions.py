from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((15, 30), "float32"), C: T.Buffer((15,), "float32")):
    for i0, i1, k0, k1 in T.grid(4, 4, 4, 8):
        with T.sblock("C"):
            vi = T.axis.spatial(15, i0 * 4 + i1)
            vk = T.axis.reduce(30, k0 * 8 + k1)
            T.where(i0 * 4 + i1 < 15 and k0 * 8 + k1 < 30)
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, vk]
