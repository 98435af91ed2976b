@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64,), "float32")):
    B = T.sblock_alloc_buffer((64,))
    D = T.sblock_alloc_buffer((64, 64))
    for i in range(64):
        for ko, ki in T.grid(8, 8):
            with T.sblock("D"):
                vi = T.axis.spatial(64, i)
                vk = T.axis.spatial(64, ko * 8 + ki)
                D[vi, vk] = A[vi, vk]
            with T.sblock("B"):
                vi = T.axis.spatial(64, i)
                vk = T.axis.reduce(64, ko * 8 + ki)
                with T.init():
                    B[vi] = 0.0
                B[vi] = B[vi] + D[vi, vk]
    for i in range(64):
        with T.sblock("C"):
            vi = T.axis.spatial(64, i)
            C[vi] = B[vi] * 2.0
# ----
# A: SBlock D
# B: SBlock root
# C: SBlock C
# D: for ki
