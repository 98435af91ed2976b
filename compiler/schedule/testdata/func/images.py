from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((1, 8, 8, 16), "float32"), C: T.Buffer((1, 8, 8, 16), "float32")):
    for n, h, w, c in T.grid(1, 8, 8, 16):
        with T.sblock("C"):
            vn, vh, vw, vc = T.axis.remap("SSSS", [n, h, w, c])
            C[vn, vh, vw, vc] = A[vn, vh, vw, vc] * T.float32(2)
