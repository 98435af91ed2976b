# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((14,), "uint8"), C: T.Buffer((14,), "uint8"), D: T.Buffer((14,), "uint8")):
    B = T.sblock_alloc_buffer((14,), "uint8")
    for i in range(14):
        with T.sblock("B"):
            vi = T.axis.spatial(14, i)
            T.where(i < 13)
            B[vi] = A[vi]
    for i in T.parallel(14):
        with T.sblock("B2"):
            vi = T.axis.spatial(14, i)
            T.where(13 <= i)
            B[vi] = A[vi] * T.uint8(2)
    for i in range(14):
        with T.sblock("C"):
            vi = T.axis.spatial(14, i)
            C[vi] = B[vi]
    for i in range(14):
        if i < 7:
            with T.sblock("D"):
                vi = T.axis.spatial(14, i)
                D[vi] = B[vi]
        else:
            with T.sblock("D2"):
                vi = T.axis.spatial(14, i)
                D[vi] = B[vi] + T.uint8(1)
