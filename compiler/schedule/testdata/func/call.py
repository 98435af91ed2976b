@T.prim_func(s_tir=True)
def main(A: T.Buffer(64, "int32")):
    for i in range(1):
        with T.sblock("A"):
            T.reads(A[0:64])
            T.writes(A[0:64])
            T.evaluate(T.call_extern("int32", "impl", A.data))
