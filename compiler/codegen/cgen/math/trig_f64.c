/* x = n pi/2 + r + rest with |r| up to pi/4: pi/2 in four parts, of which three
 * have exact products with n; far arguments one lane at a time. Returns r. */
@static @V @name(@V x, @V *rest, @I *n) {
  @V t = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, k = t - 0x1.8p52;
  *n = (@I)t - 0x4338000000000000ll;
  @V b = k * 0x1.0b4611a600000p-34, c = k * 0x1.3198a2e000000p-69;
  @V a = x - k * 0x1.921fb54400000p+0, r = a - b, l = (a - r) - b;
  @V s = r - c, v = r - s;
  l += (v - c) + ((r - v) - s);
  l -= k * 0x1.b839a252049c1p-104;
  @V y = s + l;
  *rest = (s - y) + l;
  @I far = ~(@abs(x) < 0x1p20);
  for (int i = 0; i < @lanes; i++)
    if (__builtin_expect(far[i] != 0, 0)) {
      f64 fr;
      i64 fn;
      y[i] = @far_angle(x[i], &fr, &fn);
      (*rest)[i] = fr;
      (*n)[i] = fn;
    }
  return y;
}
