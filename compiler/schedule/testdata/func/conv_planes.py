from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 18, 18), "float32"), W: T.Buffer((4, 8, 3, 3), "float32"), C: T.Buffer((4, 16, 16), "float32")):
    for o, y, x, r, ky, kx in T.grid(4, 16, 16, 8, 3, 3):
        with T.sblock("C"):
            vo, vy, vx, vr, vky, vkx = T.axis.remap("SSSRRR", [o, y, x, r, ky, kx])
            with T.init():
                C[vo, vy, vx] = T.float32(0)
            C[vo, vy, vx] = C[vo, vy, vx] + A[vr, vy + vky, vx + vkx] * W[vo, vr, vky, vkx]
