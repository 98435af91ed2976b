# sdot and udot add, in each of four lanes, four products of bytes.
@T.prim_func(s_tir=True)
def impl(
    A: T.Buffer((4,), "$a", offset_factor=1),
    B: T.Buffer((4, 4), "$b", offset_factor=1),
    C: T.Buffer((4,), "$c", offset_factor=1),
):
    with T.sblock("root"):
        T.reads(C[0:4], A[0:4], B[0:4, 0:4])
        T.writes(C[0:4])
        bytes4 = A[T.ramp(0, 1, 4)]
        word = T.reinterpret(bytes4, dtype="$c")
        spread = T.broadcast(word, 4)
        left = T.reinterpret(spread, dtype="${a}x16")
        right = B[0, T.ramp(0, 1, 16)]
        sums = C[T.ramp(0, 1, 4)]
        C[T.ramp(0, 1, 4)] = T.call_llvm_pure_intrin(
            "llvm.aarch64.neon.$instr", sums, left, right, dtype="${c}x4"
        )
