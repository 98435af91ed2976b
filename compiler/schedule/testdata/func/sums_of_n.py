from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(a: T.handle, c: T.handle, n: T.int32, m: T.int32):
    A = T.match_buffer(a, (n, m))
    C = T.match_buffer(c, (n,))
    for i, k in T.grid(n, m):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, vk]
