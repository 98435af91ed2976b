# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    B = T.sblock_alloc_buffer((16, 16))
    for i, j in T.grid(16, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj] * T.float32(2.0)
    for i in range(4):
        with T.sblock("C_o"):
            vi_o = T.axis.spatial(4, i)
            T.reads(B[vi_o * 4:vi_o * 4 + 4, 0:16])
            T.writes(C[vi_o * 4:vi_o * 4 + 4, 0:16])
            X = T.match_buffer(B[vi_o * 4:vi_o * 4 + 4, 0:16], (4, 16), strides=("s0", "s1"), offset_factor=1)
            for k, j in T.grid(4, 16):
                with T.sblock("C"):
                    vk, vj = T.axis.remap("SS", [k, j])
                    T.reads(X[vk, vj])
                    T.writes(C[vi_o * 4 + vk, vj])
                    C[vi_o * 4 + vk, vj] = X[vk, vj] + T.float32(1.0)
