@T.prim_func(s_tir=True)
def main(A: T.Buffer((T.int64(20), T.int64(12)), "uint8"), C: T.Buffer((T.int64(20), T.int64(12)), "uint8")):
    B = T.sblock_alloc_buffer((T.int64(20), T.int64(12)), "uint8")
    for i, j in T.grid(T.int64(20), T.int64(12)):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] + T.uint8(2)
    for i, j in T.grid(T.int64(20), T.int64(12)):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] * T.uint8(3)
