# The dot product of four bytes of A and of B is added to one word.
@T.prim_func(s_tir=True)
def desc(
    A: T.Buffer((4,), "$a", offset_factor=1, align=4, scope="shared"),
    B: T.Buffer((4,), "$b", offset_factor=1, align=4, scope="shared"),
    C: T.Buffer((1,), "$c", offset_factor=1, align=4, scope="local"),
):
    with T.sblock("root"):
        T.reads(C[0], A[0:4], B[0:4])
        T.writes(C[0])
        for k in range(4):
            with T.sblock("update"):
                vk = T.axis.remap("R", [k])
                C[0] = C[0] + T.cast(A[vk], "$c") * T.cast(B[vk], "$c")
