@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 4), "float32"), C: T.Buffer((8,), "float32")):
    for t, i, k in T.grid(3, 8, 4):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, vk]
