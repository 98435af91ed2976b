@T.prim_func(s_tir=True)
def main(X: T.Buffer((1, 3, 9, 9), "float32"), Y: T.Buffer((1, 3, 4, 4), "float32")):
    S = T.sblock_alloc_buffer((1, 3, 4, 4))
    for n, c, h, w, y, x in T.grid(1, 3, 4, 4, 3, 3):
        with T.sblock("S"):
            vn, vc, vh, vw, vy, vx = T.axis.remap("SSSSRR", [n, c, h, w, y, x])
            with T.init():
                S[vn, vc, vh, vw] = T.min_value("float32")
            S[vn, vc, vh, vw] = T.max(S[vn, vc, vh, vw], X[vn, vc, vh * 2 + vy, vw * 2 + vx])
    for n, c, h, w in T.grid(1, 3, 4, 4):
        with T.sblock("Y"):
            vn, vc, vh, vw = T.axis.remap("SSSS", [n, c, h, w])
            Y[vn, vc, vh, vw] = S[vn, vc, vh, vw] * T.float32(2)
