from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float16"), C: T.Buffer((16,), "float16")):
    for i, k in T.grid(16, 32):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.min_value("float16")
            C[vi] = T.max(C[vi], A[vi, vk])
