from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 32), "float32"), B: T.Buffer((64, 32), "float32")):
    for i, j in T.grid(4, 2):
        with T.sblock("O"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16])
            T.writes(B[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16])
            for ii, jj in T.grid(16, 16):
                with T.sblock("B"):
                    vii, vjj = T.axis.remap("SS", [ii, jj])
                    B[vi * 16 + vii, vj * 16 + vjj] = A[vi * 16 + vii, vj * 16 + vjj] + T.float32(1)
