@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8,), "float32"), P: T.Buffer((8,), "float32"), Q: T.Buffer((8,), "float32")):
    t = T.sblock_alloc_buffer((8,))
    x = T.sblock_alloc_buffer((8,))
    for i, k in T.grid(8, 8):
        with T.sblock("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                t[vi] = T.float32(0)
            t[vi] = t[vi] + A[vi, vk]
    for i in range(8):
        with T.sblock("P"):
            vi = T.axis.spatial(8, i)
            P[vi] = t[vi] + C[vi]
    for i in range(4):
        with T.sblock("half"):
            vi = T.axis.spatial(8, i)
            x[vi] = C[vi]
    for i in range(8):
        with T.sblock("Q"):
            vi = T.axis.spatial(8, i)
            Q[vi] = x[vi]
