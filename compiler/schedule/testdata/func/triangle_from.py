from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    for i in range(64):
        for j in range(i, 64):
            with T.sblock("B"):
                vi = T.axis.spatial(64, i)
                vj = T.axis.spatial(64, j)
                B[vi, vj] = A[vi, vj] + T.float32(1)
