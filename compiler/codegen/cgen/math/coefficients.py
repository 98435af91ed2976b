#!/usr/bin/env python3
"""Prints the coefficients of the approximations in this directory.

Needs mpmath. Polynomials are Chebyshev fits of the reduced functions named in
the comments, rational functions are weighted least-squares fits iterated to
equal ripple. Lowest degree first; errors are those of the exact coefficients.
"""
import struct
import mpmath as mp

mp.mp.dps = 50


def f32(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def show(name, coefs, single, err):
    text = ", ".join((repr(float(mp.nstr(mp.mpf(f32(c)), 9))) + "f") if single else repr(float(c)) for c in coefs)
    print(f"{name} (error {mp.nstr(err, 3)}):\n  {text}")


def poly(name, f, a, b, degree, single=False):
    c, err = mp.chebyfit(f, [a, b], degree + 1, error=True)
    show(name, c[::-1], single, err)


def rational(name, f, a, b, p, q, single=False, n=150, rounds=14):
    xs = [(a + b) / 2 + (b - a) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    fs = [f(x) for x in xs]
    lawson, den, best = [mp.mpf(1)] * n, [mp.mpf(1)] * n, None
    for it in range(rounds):
        A, B = mp.matrix(p + 1 + q, p + 1 + q), mp.matrix(p + 1 + q, 1)
        for x, y, l, d in zip(xs, fs, lawson, den):
            row = [x**k for k in range(p + 1)] + [-y * x**k for k in range(1, q + 1)]
            w = l / (y * d) ** 2
            for i, u in enumerate(row):
                B[i] += w * u * y
                for j, v in enumerate(row):
                    A[i, j] += w * u * v
        s = mp.lu_solve(A, B)
        P, Q = [s[i] for i in range(p + 1)], [mp.mpf(1)] + [s[p + 1 + i] for i in range(q)]
        den = [mp.polyval(Q[::-1], x) for x in xs]
        errs = [abs(mp.polyval(P[::-1], x) / d / y - 1) for x, y, d in zip(xs, fs, den)]
        top = max(errs)
        if best is None or top < best[0]:
            best = (top, P, Q)
        lawson = [l * (e / top + mp.mpf("1e-3")) for l, e in zip(lawson, errs)]
        total = sum(lawson)
        lawson = [l * n / total for l in lawson]
    show(name + " numerator", best[1], single, best[0])
    show(name + " denominator", best[2], single, best[0])


def series(f, small, k):
    """f away from 0, the Taylor coefficient k of it at 0 near it."""
    return lambda x: f(x) if abs(x) > mp.mpf("1e-9") else small


half = mp.log(2) / 2 * mp.mpf("1.01")
root = mp.sqrt
expq = series(lambda r: (mp.exp(r) - 1 - r) / r**2, mp.mpf(1) / 2, 2)
poly("f32 exp: (e^r - 1 - r)/r^2", expq, -half, half, 4, True)
poly("f64 exp: (e^r - 1 - r)/r^2", expq, -half, half, 10)
poly("f32 log: (log(1+f) - f + f^2/2)/f^3", series(lambda f: (mp.log1p(f) - f + f * f / 2) / f**3, mp.mpf(1) / 3, 3), root(mp.mpf("0.5")) - 1, root(2) - 1, 8, True)
logr = series(lambda z: (mp.log((1 + root(z)) / (1 - root(z))) / root(z) - 2) / z, mp.mpf(2) / 3, 1)
poly("f64 log: (log((1+s)/(1-s))/s - 2)/s^2 in s^2", logr, mp.mpf(0), mp.mpf("0.02945"), 6)
quarter = (mp.pi / 4) ** 2 * mp.mpf("1.01")
poly("f64 sin: (sin(r)/r - 1)/r^2 in r^2", series(lambda z: (mp.sin(root(z)) / root(z) - 1) / z, -mp.mpf(1) / 6, 1), mp.mpf(0), quarter, 6)
poly("f64 cos: (cos(r) - 1 + r^2/2)/r^4 in r^2", series(lambda z: (mp.cos(root(z)) - 1 + z / 2) / z**2, mp.mpf(1) / 24, 2), mp.mpf(0), quarter, 6)
poly("f64 atan: (atan(x)/x - 1)/x^2 in x^2", series(lambda z: (mp.atan(root(z)) / root(z) - 1) / z, -mp.mpf(1) / 3, 1), mp.mpf(0), (root(2) - 1) ** 2 * mp.mpf("1.001"), 13)
poly("f64 erf below 1: erf(x)/x in x^2", series(lambda z: mp.erf(root(z)) / root(z), 2 / root(mp.pi), 0), mp.mpf(0), mp.mpf(1), 13)
erfcx = lambda t: mp.erfc(4 * (1 + t) / (1 - t)) * mp.exp((4 * (1 + t) / (1 - t)) ** 2)
poly("f64 erfc: erfc(x) e^(x^2) in t = (x - 4)/(x + 4), x in 1 to 28", erfcx, mp.mpf(-3) / 5, mp.mpf(24) / 32, 22)
rational("f32 tanh: tanh(x)/x in x^2", lambda s: mp.tanh(root(s)) / root(s), mp.mpf("1e-8"), mp.mpf(81), 6, 3, True)
rational("f32 erf: erf(x)/x in x^2", lambda s: mp.erf(root(s)) / root(s), mp.mpf("1e-8"), mp.mpf(16), 5, 5, True)
digits = mp.floor(2 / mp.pi * mp.mpf(2) ** 1280)
