@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), "float32"), F: T.Buffer((8,), "float32"), P: T.Buffer((8,), "bool"), B: T.Buffer((8, 8), "float32")):
    for i, j in T.grid(8, 8):
        with T.sblock("a"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[T.cast(F[vi], "int32")]
    for i, j in T.grid(8, 8):
        with T.sblock("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[T.Select(P[vi], vi, vj)]
    for i, j in T.grid(8, 8):
        with T.sblock("c"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[T.cast(vi > 2, "int32")]
    for i, j in T.grid(8, 8):
        with T.sblock("d"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[T.cast(not (vi > 2), "int32")]
    for i, j in T.grid(8, 8):
        with T.sblock("e"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[T.cast(T.cast(vi, "float32") + F[vj], "int32")]
    for i, j in T.grid(8, 8):
        with T.sblock("f"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[T.cast(vi > 2 and vj < 3, "int32")]
    for i, j in T.grid(8, 8):
        with T.sblock("g"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[T.Select(vi > 2, T.cast(F[vi] * T.float32(2), "int32"), vj)]
    for i, j in T.grid(8, 8):
        with T.sblock("h"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[T.min(T.max(T.cast(T.round(F[vi]), "int32"), 0), 63)]
    for i, j in T.grid(8, 8):
        with T.sblock("i"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[T.min(T.max(T.cast(F[vi] / T.float32(2), "int32"), 0), 63)]
    for i, j in T.grid(8, 8):
        with T.sblock("j"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[T.min(T.cast(F[vi] / T.float32(2), "int32"), 63)]
    for i, j in T.grid(8, 8):
        with T.sblock("k"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi * 8 + T.cast(P[vj], "int32")]
    for i, j in T.grid(8, 8):
        with T.sblock("l"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[T.cast(T.ceil(T.cast(vi, "float32") * T.float32(1.5)), "int32")] + A[vi]
    for i, j in T.grid(8, 8):
        with T.sblock("m"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[T.cast(T.cast(vi, "float32") * T.float32(1.5), "int32")] + A[vi]
# ----
# with T.sblock("a"):
# T.reads(A[0:64], F[vi])
# T.writes(B[vi, vj])
# with T.sblock("b"):
# T.reads(A[T.min(vj, vi):T.min(vj, vi) + (T.max(vj, vi) + 1 - T.min(vj, vi))], P[vi])
# T.writes(B[vi, vj])
# with T.sblock("c"):
# T.reads(A[T.Cast("int32", vi > 2)])
# T.writes(B[vi, vj])
# with T.sblock("d"):
# T.reads(A[0:64])
# T.writes(B[vi, vj])
# with T.sblock("e"):
# T.reads(A[0:64], F[vj])
# T.writes(B[vi, vj])
# with T.sblock("f"):
# T.reads(A[T.Cast("int32", vi > 2 and vj < 3)])
# T.writes(B[vi, vj])
# with T.sblock("g"):
# T.reads(A[0:64], F[vi])
# T.writes(B[vi, vj])
# with T.sblock("h"):
# T.reads(A[0:64], F[vi])
# T.writes(B[vi, vj])
# with T.sblock("i"):
# T.reads(A[0:64], F[vi])
# T.writes(B[vi, vj])
# with T.sblock("j"):
# T.reads(A[0:64], F[vi])
# T.writes(B[vi, vj])
# with T.sblock("k"):
# T.reads(A[0:64], P[vj])
# T.writes(B[vi, vj])
# with T.sblock("l"):
# T.reads(A[0:64])
# T.writes(B[vi, vj])
# with T.sblock("m"):
# T.reads(A[0:64])
# T.writes(B[vi, vj])
