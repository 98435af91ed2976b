@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    B = T.sblock_alloc_buffer((64, 64))
    for io, jo in T.grid(4, 4):
        with T.sblock("outer"):
            vio, vjo = T.axis.remap("SS", [io, jo])
            T.reads(A[vio * 16:vio * 16 + 16, vjo * 16:vjo * 16 + 16])
            T.writes(B[vio * 16:vio * 16 + 16, vjo * 16:vjo * 16 + 16])
            A1 = T.match_buffer(A[vio * 16:vio * 16 + 16, vjo * 16:vjo * 16 + 16], (16, 16), strides=["s0", "s1"], offset_factor=1)
            B1 = T.match_buffer(B[vio * 16:vio * 16 + 16, vjo * 16:vjo * 16 + 16], (16, 16), strides=["t0", "t1"], offset_factor=1)
            for i, j in T.grid(16, 16):
                with T.sblock("inner"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    B1[vi, vj] = A1[vi, vj] + T.float32(1)
    for io, jo in T.grid(4, 4):
        with T.sblock("C"):
            vio, vjo = T.axis.remap("SS", [io, jo])
            T.reads(B[vio * 16:vio * 16 + 16, vjo * 16:vjo * 16 + 16])
            T.writes(C[vio * 16:vio * 16 + 16, vjo * 16:vjo * 16 + 16])
            B2 = T.match_buffer(B[vio * 16:vio * 16 + 16, vjo * 16:vjo * 16 + 16], (16, 16), strides=["u0", "u1"], offset_factor=1)
            for i, j in T.grid(16, 16):
                with T.sblock("innerC"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    C[vio * 16 + vi, vjo * 16 + vj] = B2[vi, vj]
