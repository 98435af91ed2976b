from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), C: T.Buffer((16, 4), "float32")):
    for i, k in T.grid(16, 8):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk * 4:vk * 4 + 4])
            T.writes(C[vi, 0:4])
            with T.init():
                for u in range(4):
                    with T.sblock("C_in"):
                        vu = T.axis.remap("S", [u])
                        C[vi, vu] = T.float32(0)
            for u in range(4):
                with T.sblock("C_up"):
                    vu = T.axis.remap("S", [u])
                    C[vi, vu] = C[vi, vu] + A[vi, vk * 4 + vu]
