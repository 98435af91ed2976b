# Without a dot product instruction: smull multiplies eight bytes, saddlp adds
# neighbours into words, addp adds the words of both halves.
@T.prim_func(s_tir=True)
def impl(
    A: T.Buffer((4,), "int8", offset_factor=1),
    B: T.Buffer((4, 4), "int8", offset_factor=1),
    C: T.Buffer((4,), "int32", offset_factor=1),
):
    with T.sblock("root"):
        T.reads(C[0:4], A[0:4], B[0:4, 0:4])
        T.writes(C[0:4])
        bytes4 = A[T.ramp(0, 1, 4)]
        word = T.reinterpret(bytes4, dtype="int32")
        twice = T.broadcast(word, 2)
        left = T.reinterpret(twice, dtype="int8x8")
        right = B[0, T.ramp(0, 1, 16)]
        low = T.vectorlow(right, dtype="int8x8")
        low_products = T.call_llvm_pure_intrin(
            "llvm.aarch64.neon.smull", left, low, dtype="int16x8"
        )
        low_sums = T.call_llvm_pure_intrin(
            "llvm.aarch64.neon.saddlp", low_products, dtype="int32x4"
        )
        high = T.vectorhigh(right, dtype="int8x8")
        high_products = T.call_llvm_pure_intrin(
            "llvm.aarch64.neon.smull", left, high, dtype="int16x8"
        )
        high_sums = T.call_llvm_pure_intrin(
            "llvm.aarch64.neon.saddlp", high_products, dtype="int32x4"
        )
        C[T.ramp(0, 1, 4)] += T.call_llvm_pure_intrin(
            "llvm.aarch64.neon.addp", low_sums, high_sums, dtype="int32x4"
        )
