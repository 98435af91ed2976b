@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), C: T.Buffer((16,), "float32")):
    D = T.sblock_alloc_buffer((16,))
    for i in T.serial(16):
        for k in T.serial(24):
            with T.sblock("D"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    D[vi] = T.float32(0)
                D[vi] = D[vi] + A[vi, vk]
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            C[vi] = D[vi]
