from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 16), "float32"), B: T.Buffer((32, 16), "float32")):
    for i, jo in T.grid(32, 4):
        with T.sblock("O"):
            vi, vo = T.axis.remap("SS", [i, jo])
            T.reads(A[vi, vo * 4:vo * 4 + 4])
            T.writes(B[vi, vo * 4:vo * 4 + 4])
            for j in range(4):
                with T.sblock("B"):
                    vj = T.axis.remap("S", [j])
                    T.reads(A[vi, vo * 4 + vj])
                    T.writes(B[vi, vo * 4 + vj])
                    B[vi, vo * 4 + vj] = A[vi, vo * 4 + vj]
