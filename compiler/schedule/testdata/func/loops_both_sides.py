from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14,), "int32"), B: T.Buffer((14,), "int32")):
    for i in range(2):
        with T.sblock("blk"):
            vi = T.axis.spatial(2, i)
            T.reads(A[vi * 7:vi * 7 + 7])
            T.writes(B[vi * 7:vi * 7 + 7])
            for j in T.serial(7):
                B[vi * 7 + j] = A[vi * 7 + j]
