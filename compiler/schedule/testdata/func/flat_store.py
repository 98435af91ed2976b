from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), C: T.Buffer((128,), "float32")):
    B = T.sblock_alloc_buffer((128,))
    for i, j in T.grid(16, 8):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi * 8 + vj] = A[vi, vj] * T.float32(2)
    for i in T.grid(128):
        with T.sblock("C"):
            vi = T.axis.remap("S", [i])
            C[vi] = B[vi] + T.float32(1)
