from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    for i, j in T.grid(64, 64):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.sblock_attr({"k": "v"})
            L = T.sblock_alloc_buffer((1,))
            L[0] = A[vi, vj]
            C[vi, vj] = L[0] + T.float32(1)
