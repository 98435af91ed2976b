from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    B = T.sblock_alloc_buffer((64,))
    for i in T.grid(16):
        with T.sblock("B"):
            vi = T.axis.remap("S", [i])
            T.reads(A[vi * 4:vi * 4 + 4])
            T.writes(B[vi * 4:vi * 4 + 4])
            for k in range(4):
                B[vi * 4 + k] = A[vi * 4 + k] * T.float32(2)
    for i in T.grid(64):
        with T.sblock("C"):
            vi = T.axis.remap("S", [i])
            C[vi] = B[vi] + T.float32(1)
