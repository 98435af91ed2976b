from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14, 32), "int32"), B: T.Buffer((14,), "int32")):
    for i in range(14):
        with T.sblock("blk"):
            T.reads(A[i, 0:32])
            T.writes(B[i])
            B[i] = 0
            for k in range(32):
                B[i] = B[i] + A[i, k]
