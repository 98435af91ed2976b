@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), C: T.Buffer((16,), "float32"), D: T.Buffer((16,), "float32")):
    for i in T.serial(16):
        with T.sblock("E"):
            vi = T.axis.spatial(16, i)
            T.reads(C[vi])
            T.writes(D[vi])
            D[vi] = C[vi]
        for k in T.serial(24):
            with T.sblock("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk]
