"""Runs a library made by `hone compile`. Needs numpy only.

    from hone_model import Model
    model = Model("resnet18.so")
    (logits,) = model.run(image)            # by position
    out = model.run_named(input=image)      # by name, a dict

The weights file is looked for beside the library unless it is named.
"""

import ctypes
import os

import numpy as np

ABI_VERSION = 1
_KINDS = {0: "int", 1: "uint", 2: "float", 6: "bool"}
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}


class HoneError(RuntimeError):
    """A failure reported by the library; code is one of HONE_ERROR_…"""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int32), ("message", ctypes.c_char * 252)]


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_int32), ("threads", ctypes.c_int32), ("pin", ctypes.c_int32), ("spin_us", ctypes.c_int32), ("weights_path", ctypes.c_char_p)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Info(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", _DataType), ("ndim", ctypes.c_int32), ("shape", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_int64)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class TensorInfo:
    """Name, numpy dtype and shape of an input or output."""

    def __init__(self, info):
        self.name = info.name.decode("utf-8", "replace")
        if info.dtype.code not in _KINDS:
            raise HoneError(1, f"{self.name}: numpy has no such element type")
        kind = _KINDS[info.dtype.code]
        self.dtype = np.dtype("bool" if kind == "bool" else f"{kind}{info.dtype.bits}")
        self.shape = tuple(info.shape[i] for i in range(info.ndim))

    def __repr__(self):
        return f"{self.name}: {self.dtype}{list(self.shape)}"


class Model:
    """A loaded model. Safe to use from several threads; runs take turns."""

    def __init__(self, path, weights=None, threads=0, pin=False):
        path = os.path.abspath(path)
        lib = ctypes.CDLL(path)
        lib.hone_metadata.restype = ctypes.c_char_p
        for f in (lib.hone_input, lib.hone_output):
            f.restype = ctypes.POINTER(_Info)
        lib.hone_create.argtypes = [ctypes.c_void_p] * 3
        lib.hone_destroy.argtypes = lib.hone_threads.argtypes = [ctypes.c_void_p]
        lib.hone_destroy.restype = None
        lib.hone_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p]
        self._lib, self._ptr = lib, None
        if lib.hone_abi_version() != ABI_VERSION:
            raise HoneError(1, f"{path}: interface version {lib.hone_abi_version()}, this loader knows {ABI_VERSION}")
        self.inputs = [TensorInfo(lib.hone_input(i).contents) for i in range(lib.hone_num_inputs())]
        self.outputs = [TensorInfo(lib.hone_output(i).contents) for i in range(lib.hone_num_outputs())]
        self.metadata = lib.hone_metadata().decode()
        if weights is None:
            beside = os.path.splitext(path)[0] + ".weights"
            weights = beside if os.path.exists(beside) else None
        opt = _Options(ctypes.sizeof(_Options), threads, int(pin), 0, os.fsencode(weights) if weights else None)
        ptr, err = ctypes.c_void_p(), _Error()
        if lib.hone_create(ctypes.byref(opt), ctypes.byref(ptr), ctypes.byref(err)):
            raise HoneError(err.code, err.message.decode("utf-8", "replace"))
        self._ptr = ptr

    @property
    def threads(self):
        return self._lib.hone_threads(self._ptr)

    def run(self, *inputs):
        """Takes arrays in order of self.inputs, returns a list of arrays."""
        if len(inputs) != len(self.inputs):
            raise HoneError(1, f"{len(inputs)} inputs given, the model has {len(self.inputs)}: {self.inputs}")
        if self._ptr is None:
            raise HoneError(1, "the model is closed")
        arrays = [self._array(x, info) for x, info in zip(inputs, self.inputs)]
        results = [np.empty(info.shape, info.dtype) for info in self.outputs]
        tin, tout, err = _pointers(arrays), _pointers(results), _Error()
        if self._lib.hone_run(self._ptr, tin, len(arrays), tout, len(results), ctypes.byref(err)):
            raise HoneError(err.code, err.message.decode("utf-8", "replace"))
        return results

    def run_named(self, **inputs):
        """Takes and returns arrays by name."""
        names = [i.name for i in self.inputs]
        if set(inputs) != set(names):
            raise HoneError(1, f"inputs {sorted(inputs)} given, the model has {names}")
        return {o.name: r for o, r in zip(self.outputs, self.run(*(inputs[n] for n in names)))}

    def close(self):
        if self._ptr is not None:
            self._lib.hone_destroy(self._ptr)
            self._ptr = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_ptr", None) is not None:
            self.close()

    @staticmethod
    def _array(x, info):
        x = np.asarray(x)
        if x.dtype != info.dtype:
            raise HoneError(1, f"input {info.name} is {x.dtype}, the model takes {info.dtype}")
        return np.ascontiguousarray(x) if x.ndim else x


def _pointers(arrays):
    """A C array of tensor pointers; it keeps what it points to alive."""
    out = (ctypes.POINTER(_Tensor) * max(1, len(arrays)))()
    keep = []
    for i, a in enumerate(arrays):
        shape = (ctypes.c_int64 * max(1, a.ndim))(*a.shape)
        t = _Tensor(a.ctypes.data, 1, 0, a.ndim, _DataType(_CODES[a.dtype.kind], 8 * a.dtype.itemsize, 1), shape, None, 0)
        keep += [a, shape, t]
        out[i] = ctypes.pointer(t)
    out.keep = keep
    return out
