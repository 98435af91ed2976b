from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((32,), "float32"), D: T.Buffer((64,), "float32"), E: T.Buffer((64,), "float32"), F: T.Buffer((64,), "float32")):
    B = T.sblock_alloc_buffer((64,))
    B2 = T.sblock_alloc_buffer((64,))
    B3 = T.sblock_alloc_buffer((64,))
    B4 = T.sblock_alloc_buffer((64,))
    for i in range(64):
        with T.sblock("B"):
            vi = T.axis.remap("S", [i])
            B[vi] = A[vi] * T.float32(2)
    for i in range(64):
        with T.sblock("B2"):
            vi = T.axis.remap("S", [i])
            B2[vi] = A[vi] * T.float32(2)
    for i in range(64):
        with T.sblock("B3"):
            vi = T.axis.remap("S", [i])
            B3[vi] = A[vi] * T.float32(2)
    for i in range(64):
        with T.sblock("B4"):
            vi = T.axis.remap("S", [i])
            B4[vi] = A[vi] * T.float32(2)
    for i in range(32):
        with T.sblock("C"):
            vi = T.axis.remap("S", [i])
            C[vi] = B[vi * 2] + B[vi * 2 + 1]
    for i in range(64):
        with T.sblock("D"):
            vi = T.axis.remap("S", [i])
            D[vi] = B2[vi // 4] + B2[vi % 8]
    for i in range(64):
        with T.sblock("E"):
            vi = T.axis.remap("S", [i])
            E[vi] = B3[63 - vi]
    for i in range(2, 60):
        with T.sblock("F"):
            vi = T.axis.spatial((2, 60), i)
            F[vi] = B4[vi - 2] + B4[vi + 4]
