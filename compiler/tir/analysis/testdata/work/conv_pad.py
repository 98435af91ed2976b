@T.prim_func(s_tir=True)
def conv(X: T.Buffer((1, 3, 14, 14), "float32"), W: T.Buffer((8, 3, 3, 3), "float32"), Y: T.Buffer((1, 8, 7, 7), "float32")):
    P = T.sblock_alloc_buffer((1, 3, 16, 16))
    for n, c, h, w in T.grid(1, 3, 16, 16):
        with T.sblock("pad"):
            vn, vc, vh, vw = T.axis.remap("SSSS", [n, c, h, w])
            P[vn, vc, vh, vw] = T.if_then_else(1 <= vh and vh < 15 and 1 <= vw and vw < 15, X[vn, vc, vh - 1, vw - 1], T.float32(0))
    for n, o, h, w, c, kh, kw in T.grid(1, 8, 7, 7, 3, 3, 3):
        with T.sblock("conv"):
            vn, vo, vh, vw, vc, vkh, vkw = T.axis.remap("SSSSRRR", [n, o, h, w, c, kh, kw])
            with T.init():
                Y[vn, vo, vh, vw] = 0.0
            Y[vn, vo, vh, vw] = Y[vn, vo, vh, vw] + P[vn, vc, vh * 2 + vkh, vw * 2 + vkw] * W[vo, vc, vkh, vkw]
# ----
# flops=21168
# anchor=conv
