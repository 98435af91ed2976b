@T.prim_func(s_tir=True)
def main(X: T.Buffer((1, 2, 5, 5, 4), "float32"), W: T.Buffer((2, 2, 3, 3, 4, 4), "float32"), Y: T.Buffer((1, 2, 3, 3, 4), "float32")):
    S = T.sblock_alloc_buffer((1, 2, 3, 3, 4))
    for n, o, h, w, p, c, y, x, q in T.grid(1, 2, 3, 3, 4, 2, 3, 3, 4):
        with T.sblock("S"):
            vn, vo, vh, vw, vp, vc, vy, vx, vq = T.axis.remap("SSSSSRRRR", [n, o, h, w, p, c, y, x, q])
            with T.init():
                S[vn, vo, vh, vw, vp] = T.float32(0)
            S[vn, vo, vh, vw, vp] = S[vn, vo, vh, vw, vp] + X[vn, vc, vh + vy, vw + vx, vq] * W[vo, vc, vy, vx, vq, vp]
    for n, o, h, w, p in T.grid(1, 2, 3, 3, 4):
        with T.sblock("Y"):
            vn, vo, vh, vw, vp = T.axis.remap("SSSSS", [n, o, h, w, p])
            Y[vn, vo, vh, vw, vp] = T.max(S[vn, vo, vh, vw, vp], T.float32(0))
