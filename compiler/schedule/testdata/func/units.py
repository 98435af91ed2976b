from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((1, 16, 1, 8), "float32"), B: T.Buffer((1, 16, 1, 8), "float32")):
    for a, b, c, d in T.grid(1, 16, 1, 8):
        with T.sblock("B"):
            va, vb, vc, vd = T.axis.remap("SSSS", [a, b, c, d])
            B[va, vb, vc, vd] = A[va, vb, vc, vd] * T.float32(2)
