@T.prim_func(s_tir=True)
def main(X: T.Buffer((1, 4, 6, 6), "float32"), W: T.Buffer((4, 3, 3), "float32"), Y: T.Buffer((1, 4, 6, 6), "float32")):
    P = T.sblock_alloc_buffer((1, 4, 8, 8))
    for n, c, h, w in T.grid(1, 4, 8, 8):
        with T.sblock("P"):
            vn, vc, vh, vw = T.axis.remap("SSSS", [n, c, h, w])
            P[vn, vc, vh, vw] = T.if_then_else(1 <= vh and vh < 7 and 1 <= vw and vw < 7, X[vn, vc, vh - 1, vw - 1], T.float32(0))
    for n, c, h, w, y, x in T.grid(1, 4, 6, 6, 3, 3):
        with T.sblock("Y"):
            vn, vc, vh, vw, vy, vx = T.axis.remap("SSSSRR", [n, c, h, w, y, x])
            with T.init():
                Y[vn, vc, vh, vw] = T.float32(0)
            Y[vn, vc, vh, vw] = Y[vn, vc, vh, vw] + P[vn, vc, vh + vy, vw + vx] * W[vc, vy, vx]
