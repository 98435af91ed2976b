@T.prim_func(s_tir=True)
def softmax(A: T.Buffer((16, 256), "float32"), B: T.Buffer((16, 256), "float32")):
    m = T.sblock_alloc_buffer((16,))
    e = T.sblock_alloc_buffer((16, 256))
    s = T.sblock_alloc_buffer((16,))
    for i, k in T.grid(16, 256):
        with T.sblock("max"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                m[vi] = T.min_value("float32")
            m[vi] = T.max(m[vi], A[vi, vk])
    for i, k in T.grid(16, 256):
        with T.sblock("exp"):
            vi, vk = T.axis.remap("SS", [i, k])
            e[vi, vk] = T.exp(A[vi, vk] - m[vi])
    for i, k in T.grid(16, 256):
        with T.sblock("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                s[vi] = 0.0
            s[vi] = s[vi] + e[vi, vk]
    for i, k in T.grid(16, 256):
        with T.sblock("norm"):
            vi, vk = T.axis.remap("SS", [i, k])
            B[vi, vk] = e[vi, vk] / s[vi]
# ----
# A: SBlock root
# B: SBlock norm
# e: SBlock root
# m: SBlock root
# s: SBlock root
