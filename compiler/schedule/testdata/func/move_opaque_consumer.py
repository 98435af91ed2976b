@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 24), "float32"), C: T.Buffer((16, 24), "float32")):
    B = T.sblock_alloc_buffer((16, 24))
    for i, j in T.grid(16, 24):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i in T.grid(16):
        with T.sblock("C"):
            vi = T.axis.spatial(16, i)
            T.reads(B[vi, 0:24])
            T.writes(C[vi, 0:24])
            T.evaluate(T.call_extern("int32", "f", B.data, C.data, vi))
