#!/usr/bin/env python3
"""Writes math_f64.txt: function, arguments and correctly rounded result, as bits
in hexadecimal. Needs mpmath.  python3 math_f64.py > math_f64.txt"""
import random
import struct
import mpmath as mp

mp.mp.prec = 1400
random.seed(7)


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def emit(name, args, value):
    try:
        r = float(value)
    except (OverflowError, ValueError):
        return
    print(name, *("%016x" % bits(a) for a in args), "%016x" % bits(r))


def spread(lo, hi, n=40):
    return [random.uniform(lo, hi) for _ in range(n)]


def scales(lo, hi, n=40, sign=True):
    return [random.uniform(1, 2) * 2.0 ** random.uniform(lo, hi) * (random.choice([-1, 1]) if sign else 1) for _ in range(n)]


m = mp.mpf
unary = {
    "exp": (mp.exp, spread(-745, 709) + scales(-30, 3)), "exp2": (lambda x: m(2) ** x, spread(-1074, 1023) + scales(-30, 3)),
    "exp10": (lambda x: m(10) ** x, spread(-323, 308) + scales(-30, 3)), "expm1": (mp.expm1, spread(-50, 709) + scales(-60, 3)),
    "log": (mp.log, scales(-1022, 1000, sign=False) + spread(0.5, 2)), "log2": (lambda x: mp.log(x) / mp.log(2), scales(-1022, 1000, sign=False) + spread(0.5, 2)),
    "log10": (lambda x: mp.log(x) / mp.log(10), scales(-1022, 1000, sign=False) + spread(0.5, 2)), "log1p": (mp.log1p, scales(-70, 0, sign=False) + spread(-0.999, 3) + scales(0, 1000, sign=False)),
    "tanh": (mp.tanh, scales(-60, 5)), "sigmoid": (lambda x: 1 / (1 + mp.exp(-x)), spread(-700, 40) + scales(-30, 3)), "erf": (mp.erf, scales(-60, 2.7) + spread(-6, 6)),
    "erfc": (mp.erfc, spread(-6, 26) + scales(-40, 1)), "rsqrt": (lambda x: 1 / mp.sqrt(x), scales(-1000, 1000, sign=False)),
    "sin": (mp.sin, scales(-30, 18) + scales(20, 1020) + [float(k * mp.pi / 2) for k in range(1, 12)]), "cos": (mp.cos, scales(-30, 18) + scales(20, 1020) + [float(k * mp.pi / 2) for k in range(1, 12)]),
    "tan": (mp.tan, scales(-30, 18) + scales(20, 1020) + [float(k * mp.pi / 4) for k in range(1, 12)] + [6381956970095103.0 * 2.0**797]),
    "asin": (mp.asin, spread(-1, 1) + scales(-50, -1)), "acos": (mp.acos, spread(-1, 1) + scales(-50, -1)), "atan": (mp.atan, scales(-50, 60)),
    "sinh": (mp.sinh, spread(-710, 710) + scales(-50, 4)), "cosh": (mp.cosh, spread(-710, 710) + scales(-50, 4)),
    "asinh": (mp.asinh, scales(-50, 1000)), "acosh": (mp.acosh, [1 + abs(x) for x in scales(-40, 200)]), "atanh": (mp.atanh, spread(-1, 1) + scales(-50, -1)),
}
for name, (f, xs) in unary.items():
    for x in xs:
        emit(name, [x], f(m(x)))
for x, y in zip(scales(-300, 300, 120, False), scales(-6, 2, 120)):
    emit("pow", [x, y], m(x) ** m(y))
for x in spread(0.5, 2, 60):
    y = random.uniform(-700, 700)
    emit("pow", [x, y], m(x) ** m(y))
for x in (-2.0, -3.0, -0.5):
    for y in (2.0, 3.0, -3.0, 51.0):
        emit("pow", [x, y], m(x) ** int(y))
for y, x in zip(scales(-200, 200), scales(-200, 200)):
    emit("atan2", [y, x], mp.atan2(m(y), m(x)))
for x, y in zip(scales(-1000, 1000), scales(-1000, 1000)):
    emit("hypot", [x, y], mp.sqrt(m(x) ** 2 + m(y) ** 2))
    emit("hypot", [x, x * 1.5], mp.sqrt(m(x) ** 2 + m(x * 1.5) ** 2))
