@T.prim_func(s_tir=True)
def main(X: T.Buffer((1, 3, 6, 6), "float32"), W: T.Buffer((4, 3, 3, 3), "float32"), bias: T.Buffer((4,), "float32"), Y: T.Buffer((1, 4, 6, 6), "float32")):
    P = T.sblock_alloc_buffer((1, 3, 8, 8))
    S = T.sblock_alloc_buffer((1, 4, 6, 6))
    for n, c, h, w in T.grid(1, 3, 8, 8):
        with T.sblock("P"):
            vn, vc, vh, vw = T.axis.remap("SSSS", [n, c, h, w])
            P[vn, vc, vh, vw] = T.if_then_else(1 <= vh and vh < 7 and 1 <= vw and vw < 7, X[vn, vc, vh - 1, vw - 1], T.float32(0))
    for n, o, h, w, c, y, x in T.grid(1, 4, 6, 6, 3, 3, 3):
        with T.sblock("S"):
            vn, vo, vh, vw, vc, vy, vx = T.axis.remap("SSSSRRR", [n, o, h, w, c, y, x])
            with T.init():
                S[vn, vo, vh, vw] = T.float32(0)
            S[vn, vo, vh, vw] = S[vn, vo, vh, vw] + P[vn, vc, vh + vy, vw + vx] * W[vo, vc, vy, vx]
    for n, o, h, w in T.grid(1, 4, 6, 6):
        with T.sblock("Y"):
            vn, vo, vh, vw = T.axis.remap("SSSS", [n, o, h, w])
            Y[vn, vo, vh, vw] = T.max(S[vn, vo, vh, vw] + bias[vo], T.float32(0))
