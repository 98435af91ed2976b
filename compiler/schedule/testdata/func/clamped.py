@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), D: T.Buffer((30,), "float32"), E: T.Buffer((30,), "float32"), F: T.Buffer((30,), "float32"), G: T.Buffer((30,), "float32")):
    B = T.sblock_alloc_buffer((64,))
    C = T.sblock_alloc_buffer((30,))
    for i in range(64):
        with T.sblock("B"):
            vi = T.axis.spatial(64, i)
            B[vi] = A[vi] * T.float32(2)
    for i, k in T.grid(30, 4):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + B[T.min(vi * 2 + vk, 33)]
    for i in range(30):
        with T.sblock("D"):
            vi = T.axis.spatial(30, i)
            D[vi] = C[vi] + T.float32(1)
    for i in range(30):
        with T.sblock("E"):
            vi = T.axis.spatial(30, i)
            E[vi] = A[vi * 3 % 60]
    for i in range(30):
        with T.sblock("F"):
            vi = T.axis.spatial(30, i)
            F[vi] = A[T.Select(vi < 7, vi, 20)]
    for i in range(30):
        with T.sblock("G"):
            vi = T.axis.spatial(30, i)
            G[vi] = A[T.if_then_else(vi < 7, vi, 20)]
