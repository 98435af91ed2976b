from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(a: T.handle, b: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n, m, T.int64(128)))
    B = T.match_buffer(b, (n, m, T.int64(128)))
    for i, j, k in T.grid(n, m, T.int64(128)):
        with T.sblock("B"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2)
