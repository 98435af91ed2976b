from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), C: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32")):
    for i in range(16):
        for t in range(1):
            for k in range(32):
                with T.sblock("C"):
                    vi, vk = T.axis.remap("SR", [i, k])
                    with T.init():
                        C[vi] = T.float32(0)
                    C[vi] = C[vi] + A[vi, vk]
    for i in range(16):
        with T.sblock("D"):
            vi = T.axis.remap("S", [i])
            D[vi] = C[vi] * T.float32(2)
