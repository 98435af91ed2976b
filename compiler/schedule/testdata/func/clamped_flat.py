from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i, j in T.grid(8, 8):
        with T.sblock("B"):
            vi = T.axis.spatial(64, T.min(i * 8 + j, 63))
            B[vi] = A[vi] + T.float32(1)
