@T.prim_func(s_tir=True)
def main(X: T.Buffer((6, 10), "float32"), Y: T.Buffer((6, 10), "float32")):
    M = T.sblock_alloc_buffer((6,))
    E = T.sblock_alloc_buffer((6, 10))
    S = T.sblock_alloc_buffer((6,))
    for i, k in T.grid(6, 10):
        with T.sblock("M"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                M[vi] = T.min_value("float32")
            M[vi] = T.max(M[vi], X[vi, vk])
    for i, j in T.grid(6, 10):
        with T.sblock("E"):
            vi, vj = T.axis.remap("SS", [i, j])
            E[vi, vj] = T.exp(X[vi, vj] - M[vi])
    for i, k in T.grid(6, 10):
        with T.sblock("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + E[vi, vk]
    for i, j in T.grid(6, 10):
        with T.sblock("Y"):
            vi, vj = T.axis.remap("SS", [i, j])
            Y[vi, vj] = E[vi, vj] / S[vi]
