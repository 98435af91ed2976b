from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 16), "float32"), D: T.Buffer((32, 16), "float32")):
    B = T.sblock_alloc_buffer((32, 16))
    C = T.sblock_alloc_buffer((32, 16))
    for i, j in T.grid(32, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(32, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, 15 - vj] + B[vi, vj]
    for i, j in T.grid(32, 16):
        with T.sblock("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i + j < 40)
            D[vi, vj] = C[vi, vj] + A[vi, vj] * B[0, vj]
