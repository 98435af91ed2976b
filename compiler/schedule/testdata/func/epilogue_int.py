from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "int8"), B: T.Buffer((8, 12), "int8"), C: T.Buffer((12,), "int32"), D: T.Buffer((16, 12), "int32")):
    t = T.sblock_alloc_buffer((16, 12), "int32")
    for j, k, i in T.grid(12, 8, 16):
        with T.sblock("mm"):
            x, z, y = T.axis.remap("SRS", [i, k, j])
            with T.init():
                t[x, y] = 0
            t[x, y] = t[x, y] + T.Cast("int32", A[x, z]) * T.Cast("int32", B[z, y])
    for j, i in T.grid(12, 16):
        with T.sblock("epi"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = t[vi, vj] + C[vj]
