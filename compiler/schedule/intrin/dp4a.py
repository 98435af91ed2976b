# The CUDA builtin of that name.
@T.prim_func(s_tir=True)
def impl(
    A: T.Buffer((4,), "$a", offset_factor=1, align=4, scope="shared"),
    B: T.Buffer((4,), "$b", offset_factor=1, align=4, scope="shared"),
    C: T.Buffer((1,), "$c", offset_factor=1, align=4, scope="local"),
):
    with T.sblock("root"):
        T.reads(C[0], A[0:4], B[0:4])
        T.writes(C[0])
        C[0] += T.call_pure_extern("__dp4a", A[T.ramp(0, 1, 4)], B[T.ramp(0, 1, 4)], T.$c(0), dtype="$c")
