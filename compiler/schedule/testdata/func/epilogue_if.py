from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), B: T.Buffer((8, 16), "float32"), P: T.Buffer((16, 16), "float32"), D: T.Buffer((16, 16), "float32")):
    t = T.sblock_alloc_buffer((16, 16), "float32")
    for i, j, k in T.grid(16, 16, 8):
        with T.sblock("mm"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                t[vi, vj] = T.float32(0)
            t[vi, vj] = t[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(16, 16):
        with T.sblock("epi"):
            vi, vj = T.axis.remap("SS", [i, j])
            if vi < 3:
                D[vi, vj] = t[vi, vj] + P[vi, vj]
