@T.prim_func(s_tir=True)
def main(A: T.Buffer((60, 60), "float32"), C: T.Buffer((60, 60), "float32")):
    for io, jo in T.grid(4, 4):
        with T.sblock("outer"):
            vio, vjo = T.axis.remap("SS", [io, jo])
            T.reads(A[vio * 16:vio * 16 + 16, vjo * 16:vjo * 16 + 16])
            T.writes(C[vio * 16:vio * 16 + 16, vjo * 16:vjo * 16 + 16])
            for i, j in T.grid(16, 16):
                with T.sblock("inner"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.where(vio * 16 + i < 60 and vjo * 16 + j < 60)
                    C[vio * 16 + vi, vjo * 16 + vj] = A[vio * 16 + vi, vjo * 16 + vj] + T.float32(1)
