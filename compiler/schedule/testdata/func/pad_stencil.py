# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), C: T.Buffer((16, 32), "float32")):
    B = T.sblock_alloc_buffer((18, 34))
    for i, j in T.grid(18, 34):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = T.if_then_else(1 <= vi and vi < 17 and 1 <= vj and vj < 33, A[vi - 1, vj - 1], T.float32(0))
    for i, j in T.grid(16, 32):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + B[vi + 2, vj + 2] + T.if_then_else(vj < 8, B[vi, vj + 1], B[vi, 3])
