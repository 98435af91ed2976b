from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    B = T.sblock_alloc_buffer((64, 64))
    for i, j in T.grid(64, 64):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(4, 4):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(B[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16])
            T.writes(C[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16])
            for ii, jj in T.grid(16, 16):
                with T.sblock("Ci"):
                    vii, vjj = T.axis.remap("SS", [ii, jj])
                    C[vi * 16 + vii, vj * 16 + vjj] = B[vi * 16 + vii, vj * 16 + vjj] + T.float32(1)
