@T.prim_func(s_tir=True)
def f(X: T.Buffer((1, 16, 16, 16), "float32"), W: T.Buffer((16, 1, 3, 3), "float32"), Y: T.Buffer((1, 16, 14, 14), "float32")):
    for n, c, h, w, kh, kw in T.grid(1, 16, 14, 14, 3, 3):
        with T.sblock("dw"):
            vn, vc, vh, vw, vkh, vkw = T.axis.remap("SSSSRR", [n, c, h, w, kh, kw])
            with T.init():
                Y[vn, vc, vh, vw] = 0.0
            Y[vn, vc, vh, vw] = Y[vn, vc, vh, vw] + X[vn, vc, vh + vkh, vw + vkw] * W[vc, 0, vkh, vkw]
# ----
# flops=56448
# anchor=dw
