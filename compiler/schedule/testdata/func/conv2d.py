# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def main(X: T.Buffer((1, 8, 8, 8), "float32"), W: T.Buffer((3, 3, 8, 16), "float32"), bias: T.Buffer((16,), "float32"), Y: T.Buffer((1, 8, 8, 16), "float32")):
    T.func_attr({"tirx.noalias": True})
    # with T.sblock("root"):
    pad = T.sblock_alloc_buffer((1, 10, 10, 8))
    conv = T.sblock_alloc_buffer((1, 8, 8, 16))
    for i0, i1, i2, i3 in T.grid(1, 10, 10, 8):
        with T.sblock("pad"):
            v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
            T.reads(X[v_i0, v_i1 - 1, v_i2 - 1, v_i3])
            T.writes(pad[v_i0, v_i1, v_i2, v_i3])
            pad[v_i0, v_i1, v_i2, v_i3] = T.if_then_else(1 <= v_i1 and v_i1 < 9 and (1 <= v_i2 and v_i2 < 9), X[v_i0, v_i1 - 1, v_i2 - 1, v_i3], T.float32(0.0))
    for i0, i1, i2, i3, k0, k1, k2 in T.grid(1, 8, 8, 16, 3, 3, 8):
        with T.sblock("conv"):
            v_i0, v_i1, v_i2, v_i3, v_k0, v_k1, v_k2 = T.axis.remap("SSSSRRR", [i0, i1, i2, i3, k0, k1, k2])
            T.reads(pad[v_i0, v_i1 + v_k0, v_i2 + v_k1, v_k2], W[v_k0, v_k1, v_k2, v_i3])
            T.writes(conv[v_i0, v_i1, v_i2, v_i3])
            with T.init():
                conv[v_i0, v_i1, v_i2, v_i3] = T.float32(0.0)
            conv[v_i0, v_i1, v_i2, v_i3] = conv[v_i0, v_i1, v_i2, v_i3] + pad[v_i0, v_i1 + v_k0, v_i2 + v_k1, v_k2] * W[v_k0, v_k1, v_k2, v_i3]
    for i0, i1, i2, i3 in T.grid(1, 8, 8, 16):
        with T.sblock("bias"):
            v_i0, v_i1, v_i2, v_i3 = T.axis.remap("SSSS", [i0, i1, i2, i3])
            T.reads(conv[v_i0, v_i1, v_i2, v_i3], bias[v_i3])
            T.writes(Y[v_i0, v_i1, v_i2, v_i3])
            Y[v_i0, v_i1, v_i2, v_i3] = conv[v_i0, v_i1, v_i2, v_i3] + bias[v_i3]
