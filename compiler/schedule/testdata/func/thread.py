@T.prim_func(s_tir=True)
def main(A: T.Buffer((128, 16), "float32"), C: T.Buffer((128, 16), "float32")):
    B = T.sblock_alloc_buffer((128, 16), scope="shared")
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(32, thread="threadIdx.x"):
            for j in range(16):
                with T.sblock("B"):
                    vi = T.axis.spatial(128, bx * 32 + tx)
                    vj = T.axis.spatial(16, j)
                    B[vi, vj] = A[vi, vj] * T.float32(2)
            for j in range(16):
                with T.sblock("C"):
                    vi = T.axis.spatial(128, bx * 32 + tx)
                    vj = T.axis.spatial(16, j)
                    C[vi, vj] = B[vi, vj] + T.float32(1)
