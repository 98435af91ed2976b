from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((120, 60), "float32"), B: T.Buffer((120, 60), "float32")):
    for i0, i1, j in T.grid(16, 8, 60):
        with T.sblock("B"):
            vi = T.axis.spatial(120, i0 * 8 + i1)
            vj = T.axis.spatial(60, j)
            T.where(i0 * 8 + i1 < 120)
            B[vi, vj] = A[vi, vj] * T.float32(2)
