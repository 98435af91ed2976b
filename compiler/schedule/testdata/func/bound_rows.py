from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 32), "float32"), C: T.Buffer((16,), "float32")):
    for i in T.thread_binding(16, thread="blockIdx.x"):
        for k in T.serial(32, annotations={"pragma": 1}):
            with T.sblock("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.sblock_attr({"a": 2})
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk]
