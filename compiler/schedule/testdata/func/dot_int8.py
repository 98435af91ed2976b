@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 32), "uint8"), W: T.Buffer((2, 8, 16, 4), "int8"), C: T.Buffer((8, 32), "int32")):
    for i, jo, ko, ji, ki in T.grid(8, 2, 8, 16, 4):
        with T.sblock("dot"):
            vi, vjo, vko, vji, vki = T.axis.remap("SSRSR", [i, jo, ko, ji, ki])
            with T.init():
                C[vi, vjo * 16 + vji] = 0
            C[vi, vjo * 16 + vji] = C[vi, vjo * 16 + vji] + T.Cast("int32", A[vi, vko * 4 + vki]) * T.Cast("int32", W[vjo, vko, vji, vki])
