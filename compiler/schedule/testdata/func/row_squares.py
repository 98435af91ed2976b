from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "int8"), C: T.Buffer((16,), "int32")):
    for i, k in T.grid(16, 32):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = 0
            C[vi] = C[vi] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", A[vi, vk])
