# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((20, 6), "float32"), C: T.Buffer((8, 6), "float32"), D: T.Buffer((12, 6), "float32"), E: T.Buffer((6, 6), "float32")):
    B = T.sblock_alloc_buffer((20, 6))
    U = T.sblock_alloc_buffer((8, 6))
    W = T.sblock_alloc_buffer((6, 6))
    for i, j in T.grid(20, 6):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = A[vi, vj] * T.float32(2.0)
    for i, j, k in T.grid(8, 6, 4):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(B[vi * 2 + vk, vj])
            T.writes(C[vi, vj])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + B[vi * 2 + vk, vj]
    for i, j in T.grid(8, 6):
        with T.sblock("U"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(U[vi, vj])
            U[vi, vj] = A[vi, vj] + T.float32(1.0)
    for i, j in T.grid(12, 6):
        with T.sblock("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(U[vi // 2:vi // 2 + 3, vj])
            T.writes(D[vi, vj])
            D[vi, vj] = U[vi // 2, vj] + U[vi // 2 + 2, vj]
    for i in range(6):
        for j in range(6):
            with T.sblock("W"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(W[vi, vj])
                W[vi, vj] = A[vi, vj]
        for j in range(6):
            with T.sblock("W2"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(W[vi, vj])
                W[vi, vj] = A[vi, vj] + T.float32(1.0)
        for j in range(6):
            with T.sblock("E"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(W[vi, vj])
                T.writes(E[vi, vj])
                E[vi, vj] = W[vi, vj]
