# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def main(A: T.Buffer((128, 32), "float32"), B: T.Buffer((32, 128), "float32"), C: T.Buffer((128, 128), "float32")):
    T.func_attr({"tirx.noalias": True})
    # with T.sblock("root"):
    for i0, i1, k0 in T.grid(128, 128, 32):
        with T.sblock("mm"):
            v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
            T.reads(A[v_i0, v_k0], B[v_k0, v_i1])
            T.writes(C[v_i0, v_i1])
            with T.init():
                C[v_i0, v_i1] = T.float32(0.0)
            C[v_i0, v_i1] = C[v_i0, v_i1] + A[v_i0, v_k0] * B[v_k0, v_i1]
