#!/usr/bin/env python3
"""Makes testdata/models/demo: a small ONNX model and one test data set.

    pip install numpy onnx
    python3 testdata/models/make_demo.py

The network is a small image classifier with one of each kind of layer whose
tuning matters: dense 3x3 convolutions, depthwise and pointwise ones, a residual
sum, matmuls with a GELU between them, and softmax. Weights are random with a
fixed seed, scaled so that activations keep their size from layer to layer. The
expected output comes from ONNX's own reference evaluator.
"""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "demo")
rng = np.random.default_rng(2024)
nodes, weights = [], []


def weight(name, *shape, fan_in):
    w = (rng.standard_normal(shape) * np.sqrt(2.0 / fan_in)).astype(np.float32)
    weights.append(numpy_helper.from_array(w, name))
    return name


def bias(name, n):
    b = (rng.standard_normal(n) * 0.1).astype(np.float32)
    weights.append(numpy_helper.from_array(b, name))
    return name


def constant(name, value):
    weights.append(numpy_helper.from_array(value, name))
    return name


def op(kind, inputs, name, **attrs):
    nodes.append(helper.make_node(kind, inputs, [name], name=name, **attrs))
    return name


def conv(x, name, ci, co, k, stride=1, group=1, relu=True):
    w = weight(name + ".weight", co, ci // group, k, k, fan_in=ci // group * k * k)
    pad = k // 2
    y = op("Conv", [x, w, bias(name + ".bias", co)], name, kernel_shape=[k, k],
           strides=[stride, stride], pads=[pad] * 4, group=group)
    return op("Relu", [y], name + ".relu") if relu else y


def linear(x, name, k, n):
    y = op("MatMul", [x, weight(name + ".weight", k, n, fan_in=k)], name)
    return op("Add", [y, bias(name + ".bias", n)], name + ".add")


def gelu(x, name):
    e = op("Erf", [op("Div", [x, constant(name + ".sqrt2", np.float32(np.sqrt(2.0)))], name + ".div")], name + ".erf")
    s = op("Add", [e, constant(name + ".one", np.float32(1.0))], name + ".plus")
    return op("Mul", [op("Mul", [x, s], name + ".mul"), constant(name + ".half", np.float32(0.5))], name)


x = conv("image", "stem", 3, 32, 3)                                   # 32 x 64 x 64
x = conv(x, "conv1", 32, 32, 3)
x = op("MaxPool", [x], "pool", kernel_shape=[2, 2], strides=[2, 2])   # 32 x 32 x 32
x = conv(x, "depthwise1", 32, 32, 3, group=32)
skip = conv(x, "pointwise1", 32, 64, 1)                               # 64 x 32 x 32
x = conv(skip, "conv2", 64, 64, 3, relu=False)
x = op("Relu", [op("Add", [x, skip], "residual")], "residual.relu")
x = conv(x, "depthwise2", 64, 64, 3, stride=2, group=64)              # 64 x 16 x 16
x = conv(x, "pointwise2", 64, 128, 1)                                 # 128 x 16 x 16
x = op("Reshape", [x, constant("tokens.shape", np.array([1, 128, 256], np.int64))], "tokens")
x = op("Transpose", [x], "tokens.last", perm=[0, 2, 1])               # 256 tokens x 128
x = gelu(linear(x, "mlp1", 128, 256), "mlp.gelu")
x = linear(x, "mlp2", 256, 64)
x = op("ReduceMean", [x], "mean", axes=[1], keepdims=0)               # 1 x 64
x = op("Softmax", [linear(x, "head", 64, 10)], "probabilities", axis=1)

graph = helper.make_graph(
    nodes, "demo",
    [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 64, 64])],
    [helper.make_tensor_value_info(x, TensorProto.FLOAT, [1, 10])],
    weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="hone-demo")
model.ir_version = 7
onnx.checker.check_model(model)

image = rng.standard_normal((1, 3, 64, 64)).astype(np.float32)
(expected,) = ReferenceEvaluator(model).run(None, {"image": image})

os.makedirs(os.path.join(OUT, "test_data_set_0"), exist_ok=True)
onnx.save(model, os.path.join(OUT, "model.onnx"))
for name, array in (("input_0", image), ("output_0", expected)):
    with open(os.path.join(OUT, "test_data_set_0", name + ".pb"), "wb") as f:
        f.write(numpy_helper.from_array(array.astype(np.float32), name).SerializeToString())
print("wrote", OUT, "probabilities", np.round(expected, 4))
