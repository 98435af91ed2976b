@T.prim_func(s_tir=True)
def desc(C: T.Buffer((4, 4), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads()
        T.writes(C[0:4, 0:4])
        for i, j in T.grid(4, 4):
            with T.sblock("init"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.float32(0)

@T.prim_func(s_tir=True)
def impl(C: T.Buffer((4, 4), "float32", offset_factor=1)):
    with T.sblock("root"):
        T.reads()
        T.writes(C[0:4, 0:4])
        for i in range(4):
            C[i, T.ramp(0, 1, 4)] = T.broadcast(T.float32(0), 4)
