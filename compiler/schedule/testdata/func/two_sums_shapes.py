from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), C: T.Buffer((16,), "float32"), D: T.Buffer((16, 1), "float32")):
    for i, k in T.grid(16, 32):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(C[vi], D[vi, 0])
            with T.init():
                C[vi] = T.float32(0)
                D[vi, 0] = T.float32(0)
            a: T.let[T.float32] = C[vi] + A[vi, vk]
            b: T.let[T.float32] = D[vi, 0] + A[vi, vk]
            C[vi] = a
            D[vi, 0] = b
