from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16, 8), "float32"), C: T.Buffer((16, 16, 8), "float32")):
    for i, j in T.grid(16, 16):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj, 0:8])
            T.writes(C[vi, vj, 0:8])
            for k in range(8):
                with T.sblock("D"):
                    vk = T.axis.remap("S", [k])
                    C[vi, vj, vk] = A[vi, vj, vk] + T.float32(1)
