from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    B = T.sblock_alloc_buffer((64, 64), scope="warp")
    for i, j in T.grid(64, 64):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i0 in T.thread_binding(2, thread="blockIdx.x"):
        for y in T.thread_binding(4, thread="threadIdx.y"):
            for x in T.thread_binding(8, thread="threadIdx.x"):
                for j in T.grid(64):
                    with T.sblock("C"):
                        vi = T.axis.spatial(64, i0 * 32 + y * 8 + x)
                        vj = T.axis.spatial(64, j)
                        C[vi, vj] = B[vi, vj] + T.float32(1)
