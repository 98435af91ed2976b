# from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), P: T.Buffer((8, 12), "float32"), Q: T.Buffer((8, 12), "float32"), R: T.Buffer((8, 12), "float32"), S: T.Buffer((12,), "float32"), U: T.Buffer((8, 24), "float32")):
    for i, j in T.grid(8, 12):
        with T.sblock("always"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj % 8])
            T.writes(P[vi, vj])
            P[vi, vj] = T.if_then_else(vj < 12, A[vi, vj % 8], T.float32(0.0))
    for i, j in T.grid(8, 12):
        with T.sblock("value"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, 0:8])
            T.writes(Q[vi, vj])
            Q[vi, vj] = T.if_then_else(vj < 8, A[vi, vj], A[vi, 0])
    for i, j in T.grid(8, 12):
        with T.sblock("corner"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj])
            T.writes(R[vi, vj])
            R[vi, vj] = T.if_then_else(vi + vj < 5, A[vi, vj], T.float32(1.0))
    for i in range(10):
        with T.sblock("shifted"):
            vi = T.axis.spatial(12, i + 2)
            T.reads(A[0, vi])
            T.writes(S[vi])
            S[vi] = T.if_then_else(vi < 8, A[0, vi] * T.float32(2.0), T.float32(1.0))
    for i, j, k in T.grid(8, 1, 24):
        with T.sblock("likely"):
            vi = T.axis.spatial(8, i)
            vj = T.axis.spatial(24, j * 24 + k)
            T.where(k < 20)
            T.reads(A[vi, vj - 4])
            T.writes(U[vi, vj])
            U[vi, vj] = T.if_then_else(T.likely(vj >= 4) and vj < 12, A[vi, vj - 4], T.float32(1.0))
