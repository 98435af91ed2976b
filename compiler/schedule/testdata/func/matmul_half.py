from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((60, 40), "float16"), B: T.Buffer((40, 50), "float16"), C: T.Buffer((60, 50), "float16")):
    for i, j, k in T.grid(60, 50, 40):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float16(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
