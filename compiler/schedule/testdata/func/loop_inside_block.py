from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 16), "float32"), B: T.Buffer((32, 4), "float32")):
    for i, j in T.grid(32, 16):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SR", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, 0:4])
            with T.init():
                for k in range(4):
                    B[vi, k] = T.float32(0)
            for k in range(4):
                B[vi, k + 0] = B[vi, k + 0] + A[vi, vj]
