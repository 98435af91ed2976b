@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 40), "float32"), C: T.Buffer((64, 40), "float32"), n: T.int32):
    for i, j in T.grid(8, 8):
        with T.sblock("offset"):
            vi = T.axis.spatial(64, i + 5)
            vj = T.axis.spatial(40, j)
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(8, 8):
        with T.sblock("inner_offset"):
            vi = T.axis.spatial(64, i)
            vj = T.axis.spatial(40, j + 3)
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(8, 8):
        with T.sblock("fixed"):
            vi, vj = T.axis.remap("SS", [i, j])
            vk = T.axis.spatial(40, 7)
            C[vi, vk] = A[vi, vj]
    for i, j in T.grid(8, 8):
        with T.sblock("quotient"):
            vi = T.axis.spatial(8, (i * 8 + j) // 8)
            C[vi, 0] = A[vi, 0]
    for i, j in T.grid(8, 8):
        with T.sblock("corner"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i < 6 and j < 5)
            C[vi, vj] = A[vi, vj]
    for i, j in T.grid(8, 8):
        if n < 3:
            with T.sblock("guarded"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj]
    for i, j in T.grid(8, 4):
        with T.sblock("square"):
            vi = T.axis.spatial(64, i * i)
            vj = T.axis.spatial(40, j * 10)
            vk = T.axis.spatial(1, 0)
            C[vi, vj + vk] = A[vi, vj]
    for i in range(8):
        for j in range(2, 8):
            with T.sblock("late"):
                vi = T.axis.spatial(64, i)
                vj = T.axis.spatial(40, j)
                C[vi, vj] = A[vi, vj]
    for i in range(8):
        for j in range(2, 8):
            with T.sblock("shifted"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj]
    for i, j in T.grid(8, 8):
        with T.sblock("swapped"):
            vi = T.axis.spatial(64, j * 8 + i)
            C[vi, 0] = A[vi, 0]
    for i, j in T.grid(T.int64(8), T.int64(4)):
        with T.sblock("wide_square"):
            vi = T.axis.spatial(T.int64(64), i * i)
            vj = T.axis.spatial(T.int64(40), j * T.int64(10))
            C[vi, vj] = A[vi, vj]
