@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    for i0, j in T.grid(4, 64):
        with T.sblock("O"):
            vo, vj = T.axis.remap("SS", [i0, j])
            for i1 in range(16):
                with T.sblock("I"):
                    vi = T.axis.spatial(16, i1)
                    C[vo * 16 + vi, vj] = A[vo * 16 + vi, (vj * 3 + vi) % 64]
