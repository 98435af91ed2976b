@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    B = T.sblock_alloc_buffer((16, 16))
    for i in range(4):
        with T.sblock("B_o"):
            vi = T.axis.spatial(4, i)
            T.reads(A[vi * 4:vi * 4 + 4, 0:16])
            T.writes(B[vi * 4:vi * 4 + 4, 0:16])
            X = T.match_buffer(A[vi * 4:vi * 4 + 4, 0:16], (4, 16), strides=("s0", "s1"), offset_factor=1)
            Y = T.match_buffer(B[vi * 4:vi * 4 + 4, 0:16], (4, 16), strides=("t0", "t1"), offset_factor=1)
            for k, j in T.grid(4, 16):
                with T.sblock("B"):
                    vk, vj = T.axis.remap("SS", [k, j])
                    T.reads(X[vk, vj])
                    T.writes(Y[vk, vj])
                    Y[vk, vj] = X[vk, vj] + T.float32(1)
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(B[vi, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = B[vi, vj]
