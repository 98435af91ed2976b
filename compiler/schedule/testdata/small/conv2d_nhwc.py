@T.prim_func(s_tir=True)
def main(X: T.Buffer((1, 7, 7, 4), "float32"), W: T.Buffer((3, 3, 4, 6), "float32"), Y: T.Buffer((1, 3, 3, 6), "float32")):
    for n, h, w, o, y, x, c in T.grid(1, 3, 3, 6, 3, 3, 4):
        with T.sblock("Y"):
            vn, vh, vw, vo, vy, vx, vc = T.axis.remap("SSSSRRR", [n, h, w, o, y, x, c])
            with T.init():
                Y[vn, vh, vw, vo] = T.float32(0)
            Y[vn, vh, vw, vo] = Y[vn, vh, vw, vo] + X[vn, vh * 2 + vy, vw * 2 + vx, vc] * W[vy, vx, vc, vo]
