@T.prim_func(s_tir=True)
def f(X: T.Buffer((8, 4), "float32"), J: T.Buffer((8,), "int32"), K: T.Buffer((8,), "int32"), Y: T.Buffer((8, 4), "float32")):
    for i in range(8):
        with T.sblock("writes"):
            vi = T.axis.spatial(8, i)
            T.writes(Y[J[vi], 0])
            Y[J[vi], 0] = X[vi, 0] * T.float32(2.0)
        with T.sblock("match"):
            vi = T.axis.spatial(8, i)
            Z = T.match_buffer(X[J[vi], 0:4], (4,), offset_factor=1)
            W = T.match_buffer(Y[K[vi], 0:4], (4,), offset_factor=1)
            for k in range(4):
                W[k] = Z[k]
        with T.sblock("domain"):
            vi = T.axis.spatial((K[0], 8), i)
            Y[vi, 0] = X[vi, 0] * T.Cast("float32", J[vi])
# ----
# with T.sblock("writes"):
# T.reads(J[vi], X[vi, 0])
# T.writes(Y[J[vi], 0])
# with T.sblock("match"):
# T.reads(J[vi], K[vi], X[J[vi], 0:4])
# T.writes(Y[K[vi], 0:4])
# with T.sblock("domain"):
# T.reads(K[0], X[vi, 0], J[vi])
# T.writes(Y[vi, 0])
