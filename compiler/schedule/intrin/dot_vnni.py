# vpdpbusd adds, in each of 16 lanes, four products of unsigned by signed bytes.
@T.prim_func(s_tir=True)
def impl(
    A: T.Buffer((4,), "uint8", offset_factor=1),
    B: T.Buffer((16, 4), "int8", offset_factor=1),
    C: T.Buffer((16,), "int32", offset_factor=1),
):
    with T.sblock("root"):
        T.reads(C[0:16], A[0:4], B[0:16, 0:4])
        T.writes(C[0:16])
        bytes4 = A[T.ramp(0, 1, 4)]
        word = T.reinterpret(bytes4, dtype="int32")
        bytes64 = B[0, T.ramp(0, 1, 64)]
        words = T.reinterpret(bytes64, dtype="int32x16")
        sums = C[T.ramp(0, 1, 16)]
        C[T.ramp(0, 1, 16)] = T.call_llvm_pure_intrin(
            "llvm.x86.avx512.vpdpbusd.512", sums, T.broadcast(word, 16), words, dtype="int32x16"
        )
