from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), Z: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32")):
    for i, k in T.grid(16, 8):
        with T.sblock("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = Z[vi]
            B[vi] = B[vi] + A[vi, vk]
    for i, k in T.grid(16, 8):
        with T.sblock("D"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                D[vi] = B[vi] + Z[15 - vi]
            D[vi] = D[vi] + A[vi, vk] * Z[vi]
