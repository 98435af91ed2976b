from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "int32"), C: T.Buffer((16,), "int32")):
    for i, k in T.grid(16, 32):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = 1
            C[vi] = C[vi] * A[vi, vk]
