from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((), "float32")):
    for k in T.grid(32):
        with T.sblock("C"):
            vk = T.axis.reduce(32, k)
            with T.init():
                C[()] = T.float32(0)
            C[()] = C[()] + A[vk]
