# pmaddubs makes pairs of products of bytes, pmaddw adds pairs of these.
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
        spread = T.broadcast(word, 16)
        left = T.reinterpret(spread, dtype="uint8x64")
        right = B[0, T.ramp(0, 1, 64)]
        pairs = T.call_llvm_pure_intrin(
            "llvm.x86.avx512.pmaddubs.w.512", left, right, dtype="int16x32"
        )
        C[T.ramp(0, 1, 16)] += T.call_llvm_pure_intrin(
            "llvm.x86.avx512.pmaddw.d.512", pairs, T.int16x32(1), dtype="int32x16"
        )
