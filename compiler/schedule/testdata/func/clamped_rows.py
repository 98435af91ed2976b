from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 32), "float32"), B: T.Buffer((64, 32), "float32")):
    for i, j in T.grid(64, 32):
        with T.sblock("B"):
            vi = T.axis.spatial(64, T.min(i, 63))
            vj = T.axis.spatial(32, j)
            B[vi, vj] = A[vi, vj] + T.float32(1)
