from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), C: T.Buffer((16, 2), "float32")):
    for i, j, k in T.grid(16, 2, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            vk = T.axis.reduce(32, j * 16 + k)
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk]
