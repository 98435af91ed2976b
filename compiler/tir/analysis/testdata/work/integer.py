@T.prim_func(s_tir=True)
def f(A: T.Buffer((64, 64), "int8"), B: T.Buffer((64, 64), "int8"), C: T.Buffer((64, 64), "int32")):
    for i, j, k in T.grid(64, 64, 64):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = 0
            C[vi, vj] = C[vi, vj] + T.cast(A[vi, vk], "int32") * T.cast(B[vj, vk], "int32")
# ----
# flops=524288
# anchor=C
