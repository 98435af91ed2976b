# Fragments are numbered by their place in the buffer that holds them.
@T.prim_func(s_tir=True)
def impl(
    A: T.Buffer(($m, $k), "$in", strides=("a1", "a0"), offset_factor=$fa, scope="wmma.matrix_a"),
    B: T.Buffer(($b0, $b1), "$in", strides=("b1", "b0"), offset_factor=$fb, scope="wmma.matrix_b"),
    C: T.Buffer(($m, $n), "$out", strides=("c1", "c0"), offset_factor=$fc, scope="wmma.accumulator"),
):
    with T.sblock("root"):
        T.reads(C[0:$m, 0:$n], A[0:$m, 0:$k], B[0:$b0, 0:$b1])
        T.writes(C[0:$m, 0:$n])
        T.tvm_mma_sync(
            C.data, C.elem_offset // C.strides[0] // $m * (C.strides[0] // $n) + C.elem_offset % C.strides[0] // $n,
            A.data, A.elem_offset // A.strides[0] // $m * (A.strides[0] // $k) + A.elem_offset % A.strides[0] // $k,
            B.data, B.elem_offset // B.strides[0] // $b0 * (B.strides[0] // $b1) + B.elem_offset % B.strides[0] // $b1,
            C.data, C.elem_offset // C.strides[0] // $m * (C.strides[0] // $n) + C.elem_offset % C.strides[0] // $n,
        )
