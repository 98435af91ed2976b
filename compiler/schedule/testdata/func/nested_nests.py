from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(B: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    A = T.sblock_alloc_buffer((16, 16))
    for i, j in T.grid(16, 16):
        with T.sblock("A"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = T.float32(2)
    for i, j in T.grid(4, 4):
        for x, y in T.grid(4, 4):
            with T.sblock("B0"):
                vi = T.axis.spatial(16, i * 4 + x)
                vj = T.axis.spatial(16, j * 4 + y)
                B[vi, vj] = T.float32(1)
        for x, y in T.grid(4, 4):
            with T.sblock("B1"):
                vi = T.axis.spatial(16, i * 4 + x)
                vj = T.axis.spatial(16, j * 4 + y)
                B[vi, vj] = A[vi, vj] + B[vi, vj]
        for x, y in T.grid(4, 4):
            with T.sblock("B2"):
                vi = T.axis.spatial(16, i * 4 + x)
                vj = T.axis.spatial(16, j * 4 + y)
                B[vi, vj] = B[vi, vj] + A[vi, vj] * T.float32(2)
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] * A[vi, vj]
