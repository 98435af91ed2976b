@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 768), "float32"), G: T.Buffer((768,), "float32"), H: T.Buffer((768,), "float32"), B: T.Buffer((16, 768), "float32")):
    s = T.sblock_alloc_buffer((16,))
    q = T.sblock_alloc_buffer((16,))
    for i, k in T.grid(16, 768):
        with T.sblock("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                s[vi] = 0.0
            s[vi] = s[vi] + A[vi, vk]
    for i, k in T.grid(16, 768):
        with T.sblock("sqr"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                q[vi] = 0.0
            q[vi] = q[vi] + (A[vi, vk] - s[vi] * T.float32(0.0013)) * (A[vi, vk] - s[vi] * T.float32(0.0013))
    for i, k in T.grid(16, 768):
        with T.sblock("norm"):
            vi, vk = T.axis.remap("SS", [i, k])
            B[vi, vk] = (A[vi, vk] - s[vi] * T.float32(0.0013)) * T.rsqrt(q[vi] * T.float32(0.0013) + T.float32(0.00001)) * G[vk] + H[vk]
# ----
# flops=172032
# anchor=sqr
