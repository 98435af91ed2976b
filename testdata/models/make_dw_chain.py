"""Writes dw_chain/model.onnx: eight depthwise 3x3 layers on 112x112x32, the layer
of bench-kernels as ONNX Runtime sees it in a network (its cost of changing
layouts is shared by eight). Needs numpy and onnx from PyPI."""
import os
import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

rng = np.random.default_rng(1)
nodes, inits, at = [], [], "x"
for i in range(8):
    w = rng.integers(-2, 3, (32, 1, 3, 3)).astype(np.float32) / 8
    inits.append(numpy_helper.from_array(w, f"w{i}"))
    out = "y" if i == 7 else f"t{i}"
    nodes.append(helper.make_node("Conv", [at, f"w{i}"], [out], group=32, kernel_shape=[3, 3], pads=[1, 1, 1, 1]))
    at = out
x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32, 112, 112])
y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 32, 112, 112])
g = helper.make_graph(nodes, "dw_chain", [x], [y], inits)
here = os.path.dirname(os.path.abspath(__file__))
os.makedirs(os.path.join(here, "dw_chain"), exist_ok=True)
save(helper.make_model(g, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), os.path.join(here, "dw_chain", "model.onnx"))
