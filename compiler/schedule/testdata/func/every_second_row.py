from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 8), "float32"), B: T.Buffer((32, 8), "float32")):
    for i in T.serial(0, 32, step=2):
        for j in range(8):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
