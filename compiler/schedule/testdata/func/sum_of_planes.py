from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8, 4), "float32"), C: T.Buffer((16,), "float32")):
    for i, k, l in T.grid(16, 8, 4):
        with T.sblock("C"):
            vi, vk, vl = T.axis.remap("SRR", [i, k, l])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, vk, vl]
