from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), E: T.Buffer((64,), "float32")):
    B = T.sblock_alloc_buffer((64,))
    C = T.sblock_alloc_buffer((64,))
    D = T.sblock_alloc_buffer((64,))
    for i in range(64):
        with T.sblock("B"):
            vi = T.axis.remap("S", [i])
            B[vi] = A[vi] + T.float32(1)
    for i in range(64):
        with T.sblock("C"):
            vi = T.axis.remap("S", [i])
            C[vi] = B[vi] + T.float32(1)
    for i in range(64):
        with T.sblock("D"):
            vi = T.axis.remap("S", [i])
            D[vi] = C[vi] + T.float32(1)
    for i in range(64):
        with T.sblock("E"):
            vi = T.axis.remap("S", [i])
            E[vi] = D[vi] + C[vi]
