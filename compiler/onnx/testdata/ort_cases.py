"""Writes cases that ONNX Runtime answers, in the form of ONNX's own: a folder each.

The official cases of these operators leave most options at their defaults; these set
every option that the importer reads.
"""

import itertools
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto as P
from onnx import helper as h
from onnx import numpy_helper as nh

out = pathlib.Path(sys.argv[1])
rng = np.random.default_rng(7)


def case(name, op, inputs, outputs, consts=(), opset=17, **attrs):
    """One node; inputs named in consts are initializers, None are absent."""
    inputs = [None if v is None else np.asarray(v) for v in inputs]
    names = ["" if v is None else f"x{i}" for i, v in enumerate(inputs)]
    node = h.make_node(op, names, outputs, **attrs)
    feeds = {n: v for n, v in zip(names, inputs) if n and int(n[1:]) not in consts}
    graph = h.make_graph(
        [node],
        name,
        [h.make_tensor_value_info(n, h.np_dtype_to_tensor_dtype(v.dtype), v.shape) for n, v in feeds.items()],
        [h.make_empty_tensor_value_info(o) for o in outputs if o],
        [nh.from_array(inputs[i], f"x{i}") for i in consts if inputs[i] is not None],
    )
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=9)
    model = onnx.shape_inference.infer_shapes(model)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    results = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feeds)
    data = out / name / "test_data_set_0"
    data.mkdir(parents=True)
    (out / name / "model.onnx").write_bytes(model.SerializeToString())
    for i, v in enumerate(feeds.values()):
        (data / f"input_{i}.pb").write_bytes(nh.from_array(v).SerializeToString())
    for i, v in enumerate(results):
        (data / f"output_{i}.pb").write_bytes(nh.from_array(v).SerializeToString())


def floats(*shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


def recurrent():
    T, B, I, H = 4, 3, 5, 6
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}
    for op, way in itertools.product(gates, ["forward", "reverse", "bidirectional"]):
        D, G = (2 if way == "bidirectional" else 1), gates[op]
        base = [floats(T, B, I), floats(D, G * H, I), floats(D, G * H, H)]
        bias, start = floats(D, 2 * G * H), floats(D, B, H)
        lens = np.array([4, 1, 3], np.int32)
        full = np.array([4, 4, 4], np.int32)
        outs = ["y", "yh"] + (["yc"] if op == "LSTM" else [])
        tail = [floats(D, B, H), floats(D, 3 * H)] if op == "LSTM" else []
        case(f"{op}_{way}_plain", op, base, outs, (1, 2), hidden_size=H, direction=way)
        case(f"{op}_{way}_all", op, base + [bias, full, start] + tail, outs, (1, 2, 3, 4), hidden_size=H, direction=way, clip=0.4)
        names = {"RNN": ["Relu"], "GRU": ["Tanh", "Sigmoid"], "LSTM": ["Tanh", "Sigmoid", "Softsign"]}[op] * D
        case(f"{op}_{way}_activations", op, base + [bias], outs, (1, 2, 3), hidden_size=H, direction=way, activations=names)
        if op == "GRU":
            case(f"GRU_{way}_before", op, base + [bias, None, start], outs, (1, 2, 3), hidden_size=H, direction=way, linear_before_reset=1)
        if op == "LSTM":
            case(f"LSTM_{way}_coupled", op, base + [bias], outs, (1, 2, 3), hidden_size=H, direction=way, input_forget=1)
        if way == "forward":
            case(f"{op}_lengths", op, base + [bias, lens, start], outs, (1, 2, 3), hidden_size=H)
            case(f"{op}_lengths_known", op, base + [bias, lens, start], outs, (1, 2, 3, 4), hidden_size=H)


def quantised():
    u8 = lambda *s: rng.integers(0, 256, s).astype(np.uint8)
    i8 = lambda *s: rng.integers(-128, 128, s).astype(np.int8)
    scale = lambda *s: rng.uniform(0.01, 0.1, s).astype(np.float32)
    x = (6 * floats(2, 3, 4)).astype(np.float32)
    case("quantize_i8", "QuantizeLinear", [x, scale(), np.int8(5)], ["y"], (1, 2))
    case("quantize_plain", "QuantizeLinear", [np.abs(x), scale()], ["y"], (1,))
    case("quantize_axis", "QuantizeLinear", [x, scale(3), i8(3)], ["y"], (1, 2), axis=1)
    case("quantize_inputs", "QuantizeLinear", [x, scale(4), u8(4)], ["y"], axis=-1)
    case("quantize_i16", "QuantizeLinear", [x, scale(), np.int16(-300)], ["y"], opset=21)
    case("quantize_type", "QuantizeLinear", [x, scale()], ["y"], (1,), opset=21, output_dtype=P.INT8)
    case("quantize_blocks", "QuantizeLinear", [x, scale(2, 3, 2), i8(2, 3, 2)], ["y"], (1, 2), opset=21, axis=2, block_size=2)
    case("dequantize", "DequantizeLinear", [u8(2, 3, 4), scale(), np.uint8(100)], ["y"], (1, 2))
    case("dequantize_i32", "DequantizeLinear", [rng.integers(-1 << 30, 1 << 30, (3, 4)).astype(np.int32), scale()], ["y"], (1,))
    case("dequantize_blocks", "DequantizeLinear", [i8(2, 6), scale(2, 2), i8(2, 2)], ["y"], (1, 2), opset=21, axis=1, block_size=3)
    case("conv_integer", "ConvInteger", [u8(1, 4, 6, 5), u8(6, 2, 3, 3), np.uint8(120), np.uint8(7)], ["y"], (1, 2, 3), pads=[1, 0, 1, 2], strides=[2, 1], group=2)
    case("matmul_integer", "MatMulInteger", [u8(2, 3, 4), u8(4, 5), np.uint8(12), u8(5)], ["y"], (1, 2, 3))
    case("matmul_integer_of_vector", "MatMulInteger", [u8(4), u8(4, 5), np.uint8(12), u8(5)], ["y"], (1, 2, 3))
    case("matmul_integer_by_vector", "MatMulInteger", [u8(3, 4), u8(4), np.uint8(12), np.uint8(7)], ["y"], (1, 2, 3))
    # Weights of 7 bits: without VNNI, ONNX Runtime adds pairs of larger products in 16 bits.
    w7 = lambda *s: rng.integers(-64, 64, s).astype(np.int8)
    conv = [u8(1, 4, 6, 6), scale(), np.uint8(130), w7(6, 4, 3, 3), scale(6), np.zeros(6, np.int8), np.float32(3), np.uint8(9), rng.integers(-500, 500, 6).astype(np.int32)]
    case("qlinear_conv", "QLinearConv", conv, ["y"], (1, 2, 3, 4, 5, 6, 7, 8), pads=[1, 1, 1, 1])
    case("qlinear_conv_plain", "QLinearConv", conv[:8], ["y"], (1, 2, 4, 5, 6, 7), pads=[1, 1, 1, 1], dilations=[2, 1])
    case("qlinear_matmul_vectors", "QLinearMatMul", [u8(4), scale(), np.uint8(3), w7(4), scale(), np.int8(0), np.float32(0.7), np.uint8(128)], ["y"], (1, 2, 3, 4, 5, 6, 7))
    product = [u8(2, 3, 4), scale(), np.uint8(3), w7(4, 5), scale(5), np.zeros(5, np.int8), np.float32(0.7), np.uint8(128)]
    case("qlinear_matmul", "QLinearMatMul", product, ["y"], (1, 2, 3, 4, 5, 6, 7))
    # Channels and columns that fill no vector, zero points of both signs, long sums.
    wide = [i8(1, 6, 7, 5), scale(), np.int8(-30), w7(21, 6, 3, 2), scale(21), np.zeros(21, np.int8), np.float32(5), np.int8(-9), rng.integers(-500, 500, 21).astype(np.int32)]
    case("qlinear_conv_wide", "QLinearConv", wide, ["y"], (1, 2, 3, 4, 5, 6, 7, 8), pads=[1, 0, 2, 1], strides=[2, 1])
    deep = [u8(1, 12, 7, 5), scale(), np.uint8(99), w7(12, 1, 3, 3), scale(12), np.zeros(12, np.int8), np.float32(3), np.uint8(77)]
    case("qlinear_conv_depthwise", "QLinearConv", deep, ["y"], (1, 2, 3, 4, 5, 6, 7), pads=[1, 0, 2, 1], group=12)
    case("matmul_integer_wide", "MatMulInteger", [u8(3, 23), w7(23, 21), np.uint8(12)], ["y"], (1, 2))
    case("dynamic", "DynamicQuantizeLinear", [x], ["y", "s", "z"])
    case("dynamic_above", "DynamicQuantizeLinear", [np.abs(x) + 1], ["y", "s", "z"])
    case("dynamic_zeros", "DynamicQuantizeLinear", [0 * x], ["y", "s", "z"])


recurrent()
quantised()
