from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((14,), "int32"), B: T.Buffer((14,), "int32")):
    for t, i in T.grid(2, 14):
        with T.sblock("blk"):
            vt, vi = T.axis.remap("SS", [t, i])
            B[vi] = A[vi] + vt
