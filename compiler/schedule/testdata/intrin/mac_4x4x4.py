@T.prim_func(s_tir=True)
def desc(A: T.Buffer((4, 4), "float32", offset_factor=1), B: T.Buffer((4, 4), "float32", offset_factor=1), C: T.Buffer((4, 4), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads(C[0:4, 0:4], A[0:4, 0:4], B[0:4, 0:4])
        T.writes(C[0:4, 0:4])
        for i, j, k in T.grid(4, 4, 4):
            with T.sblock("update"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

@T.prim_func(s_tir=True)
def impl(A: T.Buffer((4, 4), "float32", offset_factor=1), B: T.Buffer((4, 4), "float32", offset_factor=1), C: T.Buffer((4, 4), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads(C[0:4, 0:4], A[0:4, 0:4], B[0:4, 0:4])
        T.writes(C[0:4, 0:4])
        for i in range(4):
            C[i, T.ramp(0, 1, 4)] = C[i, T.ramp(0, 1, 4)] + T.broadcast(A[i, 0], 4) * B[0, T.ramp(0, 1, 4)]
            C[i, T.ramp(0, 1, 4)] = C[i, T.ramp(0, 1, 4)] + T.broadcast(A[i, 1], 4) * B[1, T.ramp(0, 1, 4)]
            C[i, T.ramp(0, 1, 4)] = C[i, T.ramp(0, 1, 4)] + T.broadcast(A[i, 2], 4) * B[2, T.ramp(0, 1, 4)]
            C[i, T.ramp(0, 1, 4)] = C[i, T.ramp(0, 1, 4)] + T.broadcast(A[i, 3], 4) * B[3, T.ramp(0, 1, 4)]
