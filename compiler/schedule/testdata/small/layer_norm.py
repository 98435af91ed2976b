@T.prim_func(s_tir=True)
def main(X: T.Buffer((6, 8), "float32"), G: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), Y: T.Buffer((6, 8), "float32")):
    S = T.sblock_alloc_buffer((6,))
    Q = T.sblock_alloc_buffer((6,))
    for i, k in T.grid(6, 8):
        with T.sblock("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + X[vi, vk]
    for i, k in T.grid(6, 8):
        with T.sblock("Q"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                Q[vi] = T.float32(0)
            Q[vi] = Q[vi] + X[vi, vk] * X[vi, vk]
    for i, j in T.grid(6, 8):
        with T.sblock("Y"):
            vi, vj = T.axis.remap("SS", [i, j])
            Y[vi, vj] = (X[vi, vj] - S[vi] * T.float32(0.125)) * T.rsqrt(Q[vi] * T.float32(0.125) - S[vi] * S[vi] * T.float32(0.015625) + T.float32(0.5)) * G[vj] + B[vj]
