# Two functions with a block of the same name.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(16):
            with T.sblock("x"):
                v = T.axis.spatial(16, i)
                T.reads(A[v])
                T.writes(B[v])
                B[v] = A[v] + T.float32(1)

    @T.prim_func(s_tir=True)
    def other(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in range(16):
            with T.sblock("x"):
                v = T.axis.spatial(16, i)
                T.reads(A[v])
                T.writes(B[v])
                B[v] = A[v] * T.float32(2)
