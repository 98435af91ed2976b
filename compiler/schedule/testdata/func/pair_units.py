from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((1, 64, 1), "float32"), C: T.Buffer((1, 64, 1), "float32")):
    B = T.sblock_alloc_buffer((1, 64, 1))
    for a, i, c in T.grid(1, 64, 1):
        with T.sblock("B"):
            va, vi, vc = T.axis.remap("SSS", [a, i, c])
            B[va, vi, vc] = A[va, vi, vc] * T.float32(2)
    for a, i, c in T.grid(1, 64, 1):
        with T.sblock("C"):
            va, vi, vc = T.axis.remap("SSS", [a, i, c])
            C[va, vi, vc] = B[va, vi, vc] + T.float32(1)
