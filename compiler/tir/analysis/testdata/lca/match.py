@T.prim_func(s_tir=True)
def f(A: T.Buffer((8, 16, 16), "float32"), B: T.Buffer((8, 16, 16), "float32")):
    for b, i in T.grid(8, 4):
        with T.sblock("b"):
            vb, vi = T.axis.remap("SS", [b, i])
            a = T.match_buffer(A[vb, vi * 4:vi * 4 + 4, 0:16], (4, 16), offset_factor=1)
            c = T.match_buffer(B[vb, vi * 4:vi * 4 + 4, 0:16], (4, 16), offset_factor=1)
            for j, k in T.grid(4, 16):
                c[j, k] = a[j, k] + a[j, 0]
# ----
# A: SBlock b
# B: SBlock b
