@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8,), "float32"), P: T.Buffer((8,), "float32"), Q: T.Buffer((8,), "float32"), R: T.Buffer((8,), "float32"), S: T.Buffer((8,), "float32")):
    t = T.sblock_alloc_buffer((8,))
    u = T.sblock_alloc_buffer((8,))
    w = T.sblock_alloc_buffer((8,))
    for i, k in T.grid(8, 8):
        with T.sblock("pair"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                t[vi] = T.float32(0)
                u[vi] = T.float32(0)
            t[vi] = t[vi] + A[vi, vk]
            u[vi] = u[vi] + A[vk, vi]
    for i in range(8):
        with T.sblock("P"):
            vi = T.axis.spatial(8, i)
            P[vi] = t[vi] + u[vi]
    for i, k in T.grid(8, 8):
        with T.sblock("out"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                Q[vi] = T.float32(0)
            Q[vi] = Q[vi] + A[vi, vk]
    for i in range(8):
        with T.sblock("R"):
            vi = T.axis.spatial(8, i)
            R[vi] = Q[vi] + C[vi]
    for i in range(8):
        with T.sblock("once"):
            vi = T.axis.spatial(8, i)
            with T.init():
                w[vi] = T.float32(0)
            w[vi] = w[vi] + A[vi, 0]
    for i in range(8):
        with T.sblock("S"):
            vi = T.axis.spatial(8, i)
            S[vi] = w[vi] + C[vi]
