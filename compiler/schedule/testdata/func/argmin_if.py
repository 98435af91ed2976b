from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(V: T.Buffer((16, 32), "float32"), C: T.Buffer((16,), "int32"), D: T.Buffer((16,), "float32")):
    for i, k in T.grid(16, 32):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(V[vi, vk])
            T.writes(C[vi], D[vi])
            with T.init():
                C[vi] = -1
                D[vi] = T.max_value("float32")
            a: T.let[T.int32] = T.if_then_else(D[vi] <= V[vi, vk], C[vi], vk)
            b: T.let[T.float32] = T.if_then_else(D[vi] <= V[vi, vk], D[vi], V[vi, vk])
            C[vi] = a
            D[vi] = b
