# vpdpbusd adds, in each of $n lanes, four products of unsigned by signed bytes.
@T.prim_func(s_tir=True)
def impl(
    A: T.Buffer((4,), "uint8", offset_factor=1),
    B: T.Buffer(($n, 4), "int8", offset_factor=1),
    C: T.Buffer(($n,), "int32", offset_factor=1),
):
    with T.sblock("root"):
        T.reads(C[0:$n], A[0:4], B[0:$n, 0:4])
        T.writes(C[0:$n])
        bytes4 = A[T.ramp(0, 1, 4)]
        word = T.reinterpret(bytes4, dtype="int32")
        bytes64 = B[0, T.ramp(0, 1, $bytes)]
        words = T.reinterpret(bytes64, dtype="int32x$n")
        sums = C[T.ramp(0, 1, $n)]
        C[T.ramp(0, 1, $n)] = T.call_llvm_pure_intrin(
            "llvm.x86.avx512.vpdpbusd.$width", sums, T.broadcast(word, $n), words, dtype="int32x$n"
        )
