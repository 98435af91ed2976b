from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    B = T.sblock_alloc_buffer((64, 64), scope="shared")
    L = T.sblock_alloc_buffer((64, 64), scope="local")
    for i, j in T.grid(64, 64):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(64, 64):
        with T.sblock("L"):
            vi, vj = T.axis.remap("SS", [i, j])
            L[vi, vj] = B[vi, vj] * T.float32(2)
    for i0 in T.thread_binding(4, thread="blockIdx.x"):
        for i1 in T.thread_binding(16, thread="threadIdx.x"):
            for j0, j1 in T.grid(8, 8):
                with T.sblock("C"):
                    vi = T.axis.spatial(64, i0 * 16 + i1)
                    vj = T.axis.spatial(64, j0 * 8 + j1)
                    C[vi, vj] = L[vi, vj] + T.float32(1)
