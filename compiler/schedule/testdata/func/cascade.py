@T.prim_func(s_tir=True)
def main(A: T.Buffer((1, 12, 12, 16), "int8"), C: T.Buffer((1, 8, 8, 16), "int8")):
    B = T.sblock_alloc_buffer((1, 10, 10, 16), "int8")
    for n, h, w, c, kh, kw in T.grid(1, 10, 10, 16, 3, 3):
        with T.sblock("B"):
            vn, vh, vw, vc, vkh, vkw = T.axis.remap("SSSSRR", [n, h, w, c, kh, kw])
            with T.init():
                B[vn, vh, vw, vc] = T.int8(-128)
            B[vn, vh, vw, vc] = T.max(B[vn, vh, vw, vc], A[vn, vh + vkh, vw + vkw, vc])
    for n, h, w, c, kh, kw in T.grid(1, 8, 8, 16, 3, 3):
        with T.sblock("C"):
            vn, vh, vw, vc, vkh, vkw = T.axis.remap("SSSSRR", [n, h, w, c, kh, kw])
            with T.init():
                C[vn, vh, vw, vc] = T.int8(-128)
            C[vn, vh, vw, vc] = T.max(C[vn, vh, vw, vc], B[vn, vh + vkh, vw + vkw, vc])
