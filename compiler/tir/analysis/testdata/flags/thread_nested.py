@T.prim_func(s_tir=True)
def f(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):

    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(4, thread="threadIdx.x"):
            with T.sblock("outer"):
                vb, vt = T.axis.remap("SS", [bx, tx])
                T.reads(A[vb * 4:vb * 4 + 4, 0:16])
                T.writes(C[vb * 4:vb * 4 + 4, 0:16])
                B = T.sblock_alloc_buffer((16, 16), scope="shared")
                for j in T.serial(16):
                    with T.sblock("B"):
                        vj = T.axis.spatial(16, j)
                        B[vb * 4 + vt, vj] = A[vb * 4 + vt, vj]
                for i, j in T.grid(4, 4):
                    with T.sblock("C"):
                        vi, vj = T.axis.remap("SS", [i, j])
                        C[vb * 4 + vi, vt * 4 + vj] = B[vb * 4 + vi, vt * 4 + vj]
# ----
# root affine=True cover=True pipeline=True
# outer affine=True cover=True pipeline=False reduction=False
# B affine=True cover=True pipeline=True reduction=False
# C affine=True cover=False pipeline=True reduction=False
