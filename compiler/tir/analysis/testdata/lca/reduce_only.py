@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64,), "float32")):
    B = T.sblock_alloc_buffer((1,))
    for k in range(64):
        for i in range(64):
            with T.sblock("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A[vi, vk], B[0])
                T.writes(B[0])
                with T.init():
                    B[0] = 0.0
                B[0] = B[0] + A[vi, vk]
# ----
# A: SBlock B
# B: SBlock root
