@T.prim_func(s_tir=True)
def main(H: T.Buffer((10,), "float32"), G: T.Buffer((9,), "float32")):
    R = T.sblock_alloc_buffer((10,))
    for i in range(9):
        with T.sblock("first"):
            vi = T.axis.spatial(9, i)
            T.reads(R[vi])
            T.writes(G[vi])
            G[vi] = R[vi]
    for i in range(10):
        with T.sblock("R"):
            vi = T.axis.spatial(10, i)
            T.reads(H[vi])
            T.writes(R[vi])
            R[vi] = H[vi]
