# The place of the largest element of each row, the first of equal ones.
@T.prim_func(s_tir=True)
def main(I: T.Buffer((16, 24), "int32"), V: T.Buffer((16, 24), "float32"), C0: T.Buffer((16,), "int32"), C1: T.Buffer((16,), "float32")):
    for i, k in T.grid(16, 24):
        with T.sblock("best"):
            vi, vk = T.axis.remap("SR", [i, k])
            T.reads(V[vi, vk], I[vi, vk])
            T.writes(C0[vi], C1[vi])
            with T.init():
                C0[vi] = -1
                C1[vi] = T.min_value("float32")
            a: T.let[T.int32] = T.Select(C1[vi] > V[vi, vk] or (C1[vi] == V[vi, vk] and C0[vi] < I[vi, vk]), C0[vi], I[vi, vk])
            b: T.let[T.float32] = T.Select(C1[vi] > V[vi, vk], C1[vi], V[vi, vk])
            C0[vi] = a
            C1[vi] = b
