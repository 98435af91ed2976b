@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def f(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("C"):
                vi = T.axis.spatial(8, i)
                C[vi] = A[vi] + T.float32(1)

    @T.prim_func(s_tir=True)
    def g(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("D"):
                vi = T.axis.spatial(8, i)
                C[vi] = A[vi] + T.float32(1)
