@T.prim_func(s_tir=True)
def main(Q: T.Buffer((1, 5, 2, 4), "float32"), K: T.Buffer((1, 6, 2, 4), "float32"), Z: T.Buffer((1, 2, 5, 6), "float32")):
    S = T.sblock_alloc_buffer((1, 2, 5, 6))
    for b, h, i, j, d in T.grid(1, 2, 5, 6, 4):
        with T.sblock("S"):
            vb, vh, vi, vj, vd = T.axis.remap("SSSSR", [b, h, i, j, d])
            with T.init():
                S[vb, vh, vi, vj] = T.float32(0)
            S[vb, vh, vi, vj] = S[vb, vh, vi, vj] + Q[vb, vi, vh, vd] * K[vb, vj, vh, vd]
    for b, h, i, j in T.grid(1, 2, 5, 6):
        with T.sblock("Z"):
            vb, vh, vi, vj = T.axis.remap("SSSS", [b, h, i, j])
            Z[vb, vh, vi, vj] = S[vb, vh, vi, vj] * T.float32(0.5)
