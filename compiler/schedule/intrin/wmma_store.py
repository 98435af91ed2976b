@T.prim_func(s_tir=True)
def impl(
    A: T.Buffer(($r, $s), "$t", strides=("d1", "d0"), offset_factor=$f, scope="$from"),
    C: T.Buffer(($r, $s), "$t", strides=("s1", "s0"), offset_factor=$f, scope="$to"),
):
    with T.sblock("root"):
        T.reads(A[0:$r, 0:$s])
        T.writes(C[0:$r, 0:$s])
        T.tvm_store_matrix_sync(
            A.data, $m, $n, $k, A.elem_offset // A.strides[0] // $r * (A.strides[0] // $s) + A.elem_offset % A.strides[0] // $s,
            T.tvm_access_ptr(T.type_annotation("$t"), C.data, C.elem_offset, C.strides[0] * $r, 2), C.strides[0], "row_major",
        )
