@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32"), B: T.Buffer((12,), "float32")):
        for i in range(12):
            with T.sblock("B"):
                vi = T.axis.spatial(12, i)
                B[vi] = T.if_then_else(vi < 8, A[vi], T.float32(0.0))

    @T.prim_func(s_tir=True)
    def other(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("B"):
                vi = T.axis.spatial(8, i)
                B[vi] = A[vi]
