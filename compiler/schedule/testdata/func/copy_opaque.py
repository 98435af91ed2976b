from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 32), "float32"), B: T.Buffer((64, 32), "float32")):
    for i in T.grid(64):
        with T.sblock("B"):
            T.reads(A[i, 0:32])
            T.writes(B[i, 0:32])
            for j in range(32):
                B[i, j] = A[i, j] + T.float32(1)
