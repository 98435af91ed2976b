from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 32), "float32"), B: T.Buffer((64, 32), "float32")):
    for i, j in T.grid(64, 32):
        with T.sblock("O"):
            T.reads(A[i, j])
            T.writes(B[i, j])
            B[i, j] = A[i, j] + T.float32(1)
