from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(8):
        with T.sblock("outer"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi * 8:vi * 8 + 8])
            T.writes(B[vi * 8:vi * 8 + 8])
            for j in range(8):
                with T.sblock("in"):
                    vj = T.axis.spatial(8, j)
                    T.where(vi < 7)
                    T.reads(A[vi * 8 + vj])
                    T.writes(B[vi * 8 + vj])
                    B[vi * 8 + vj] = A[vi * 8 + vj]
            for j in range(8):
                with T.sblock("in2"):
                    vj = T.axis.spatial(8, j)
                    T.where(1 <= vi)
                    T.reads(A[vi * 8 + vj])
                    T.writes(B[vi * 8 + vj])
                    B[vi * 8 + vj] = A[vi * 8 + vj]
