/* By long division of the bits, exact: one lane at a time. */
@static @V @name(@V x, @V y) {
  @V out = x;
  const @S one = (@S)1 << @fraction;
  for (int i = 0; i < @lanes; i++) {
    union { @F f; @S u; } a = {x[i]}, b = {y[i]};
    @S sign = a.u & ~@maxint, m = a.u & @maxint, n = b.u & @maxint;
    if (n == 0 || m >= @infbits || n > @infbits) { out[i] = (x[i] * y[i]) / (x[i] * y[i]); continue; }
    if (m < n) continue;
    /* Both as integers in [one, 2 one) times a power of two. */
    int e = (int)(m >> @fraction), g = (int)(n >> @fraction);
    m = e ? (m & (one - 1)) | one : m << 1;
    n = g ? (n & (one - 1)) | one : n << 1;
    while (m < one) { m <<= 1; e--; }
    while (n < one) { n <<= 1; g--; }
    for (; e > g; e--) {
      if (m >= n) m -= n;
      m <<= 1;
    }
    if (m >= n) m -= n;
    if (m == 0) { a.u = sign; out[i] = a.f; continue; }
    while (m < one) { m <<= 1; e--; }
    a.u = sign | (e > 0 ? (m - one) | (@S)e << @fraction : m >> (1 - e));
    out[i] = a.f;
  }
  return out;
}
