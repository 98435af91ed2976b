# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((10, 9), "float16"), B: T.Buffer((9, 7), "float16"), W: T.Buffer((1, 9), "float32"), D: T.Buffer((10, 7), "float32"), M: T.Buffer((10,), "float32"), S: T.Buffer((10,), "float32"), V: T.Buffer((16, 1), "float32")):
    C = T.sblock_alloc_buffer((10, 7))
    for i, j, k in T.grid(10, 7, 9):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            T.reads(A[vi, vk], B[vk, vj])
            T.writes(C[vi, vj])
            with T.init():
                C[vi, vj] = T.float32(0.0)
            C[vi, vj] = C[vi, vj] + T.Cast("float32", A[vi, vk]) * T.Cast("float32", B[vk, vj])
    for i, j in T.grid(10, 7):
        with T.sblock("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(C[vi, vj], W[0, vj])
            T.writes(D[vi, vj])
            D[vi, vj] = C[vi, vj] + W[0, vj]
    for i, k in T.grid(10, 9):
        with T.sblock("M"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk])
            T.writes(M[vi])
            with T.init():
                M[vi] = T.float32(-1000.0)
            M[vi] = T.max(M[vi], T.Cast("float32", A[vi, vk]))
    for i, k in T.grid(10, 7):
        with T.sblock("S"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(A[vi, vk], W[0, vk])
            T.writes(S[vi])
            with T.init():
                S[vi] = T.float32(0.0)
            S[vi] = S[vi] + T.Cast("float32", A[vi, vk]) * W[0, vk]
    for i in range(10):
        with T.sblock("V"):
            vi = T.axis.spatial(10, i)
            T.reads(M[vi])
            T.writes(V[vi, 0])
            V[vi, 0] = M[vi]
