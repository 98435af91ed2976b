from tvm.script import tirx as T


# C reads beyond B, but uses nothing there.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((30, 12), "float32"), C: T.Buffer((32, 12), "float32")):
    B = T.sblock_alloc_buffer((30, 12))
    for i, j in T.grid(30, 12):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(32, 12):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(B[vi - 1, vj])
            T.writes(C[vi, vj])
            C[vi, vj] = T.if_then_else(1 <= vi and vi < 31, B[vi - 1, vj], T.float32(0))
