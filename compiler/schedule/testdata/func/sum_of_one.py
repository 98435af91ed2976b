from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 1), "float32"), C: T.Buffer((16,), "float32")):
    for i, k in T.grid(16, 1):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, vk]
