@T.prim_func(s_tir=True)
def impl(C: T.Buffer(($m, $n), "$t", strides=("d1", "d0"), offset_factor=$f, scope="wmma.accumulator")):
    with T.sblock("root"):
        T.reads()
        T.writes(C[0:$m, 0:$n])
        T.tvm_fill_fragment(
            C.data, $m, $n, $k, C.elem_offset // C.strides[0] // $m * (C.strides[0] // $n) + C.elem_offset % C.strides[0] // $n,
            T.float32(0),
        )
