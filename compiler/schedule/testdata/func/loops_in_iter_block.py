from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14, 6), "int32"), B: T.Buffer((14, 6), "int32")):
    for k in range(2):
        with T.sblock("blk"):
            vk = T.axis.spatial(2, k)
            T.reads(A[0:14, 0:6])
            T.writes(B[0:14, 0:6])
            for i, j in T.grid(14, 6):
                B[i, j] = A[i, j] * vk
