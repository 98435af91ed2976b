@T.prim_func(s_tir=True)
def main(A: T.Buffer((34, 18), "float32"), C: T.Buffer((32, 16), "float32")):
    B = T.sblock_alloc_buffer((34, 18))
    for i, j in T.grid(34, 18):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j, ri, rj in T.grid(32, 16, 3, 3):
        with T.sblock("C"):
            vi, vj, vri, vrj = T.axis.remap("SSRR", [i, j, ri, rj])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = T.max(C[vi, vj], B[vi + vri, vj + vrj])
