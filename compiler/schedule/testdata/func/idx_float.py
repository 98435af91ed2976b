from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((8, 8), "float32")):
    for i, j, k in T.grid(8, 8, 4):
        with T.sblock("B"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                B[vi, vj] = A[(vi + vj) * 2]
            B[vi, vj] = B[vi, vj] + A[T.cast(T.ceil(T.cast(vi, "float32") * T.float32(1.5)), "int32")] * T.cast(vk + vj, "float32") + T.exp(T.cast(vi, "float32") * T.float32(1.5))
