/* e^(y log |x|) with the logarithm and the product in two parts; signs and
 * exceptions as in C's Annex F. */
@static @V @name(@V x, @V y) {
  @V a = @abs(x);
  @I tiny = a < 0x1p-1022;
  @U b = (@U)(@I)@sel(tiny, a * 0x1p54, a) - 0x3fe6a09e667f3bcdull;
  @U w = (b + (1024ull << 52)) >> 52;
  @V f = (@V)(b - ((w - 1024) << 52) + 0x3fe6a09e667f3bcdull) - 1.0;
  @I k = (@I)w - 1024 - (tiny & 54);
  @V e = (@V)(k + 0x4338000000000000ll) - 0x1.8p52;
  /* s = f/(2+f) in two parts, then log = 2s + s^3 (2/3 + R(s^2)) + k ln 2. */
  @V d = 2.0 + f, dl = f - (d - 2.0), s = f / d, sdl;
  @V sd = @mulexact(s, d, &sdl), sl = ((f - sd) - sdl - s * dl) / d;
  @V zl, z = @mulexact(s, s, &zl);
  zl += 2.0 * s * sl;
  @V third = @bc(0x1.5555555555555p-1), cl, c = @mulexact(z, third, &cl);
  cl += zl * third + z * (@logr(z) - 0x1.5555555555555p-1 + 0x1.5555555555555p-55);
  @V gl, g = @mulexact(s, c, &gl);
  gl += s * cl + sl * c;
  @V h = 2.0 * s, t = h + g, tl = (g - (t - h)) + gl + 2.0 * sl;
  @V m = e * 0x1.62e42fefa0000p-1, u = m + t, v = u - m;
  @V ul = (m - (u - v)) + (t - v) + tl + e * 0x1.cf79abc9e3b3ap-40, log = u + ul;
  ul -= log - u;
  @I finite = (a != 0.0) & (a < __builtin_inf()) & (@abs(y) < 0x1p64);
  @V zero = {0}, pl, p = @mulexact(@sel(finite, log, zero), @sel(finite, y, zero), &pl);
  pl += @sel(finite, ul, zero) * @sel(finite, y, zero);
  @V edge = @sel(a < 1.0, -y, y); /* its sign decides between 0 and infinity */
  p = @sel(finite, p, @sel(a == 1.0, zero, edge * __builtin_inf()));
  @V q = @exp(p);
  @V out = @sel((q < __builtin_inf()) & finite, q + q * pl, q);
  @I whole = @trunc(y) == y, odd = whole & (@trunc(y * 0.5) * 2.0 != y), negative = (@I)x < 0;
  out = @sel(odd & negative, -out, out);
  out = @sel((x < 0.0) & (a < __builtin_inf()) & ~whole, @bc(__builtin_nan("")), out);
  out = @sel((x == -1.0) & (@abs(y) == __builtin_inf()), @bc(1.0), out);
  out = @sel((x != x) | (y != y), x + y, out);
  return @sel((y == 0.0) | (x == 1.0), @bc(1.0), out);
}
