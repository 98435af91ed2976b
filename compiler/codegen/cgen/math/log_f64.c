/* x = 2^k m; log(m) = 2 atanh(s) with s = (m-1)/(m+1), arranged so that the
 * large part, m - 1, is exact. */
@static @V @name(@V x) {
  @I tiny = x < 0x1p-1022;
  @U b = (@U)(@I)@sel(tiny, x * 0x1p54, x) - 0x3fe6a09e667f3bcdull;
  @U w = (b + (1024ull << 52)) >> 52;
  @V f = (@V)(b - ((w - 1024) << 52) + 0x3fe6a09e667f3bcdull) - 1.0;
  @I k = (@I)w - 1024 - (tiny & 54);
  @V e = (@V)(k + 0x4338000000000000ll) - 0x1.8p52;
  @V s = f / (f + 2.0), z = s * s, h = 0.5 * f * f;
  @V y = h - (s * (h + z * @logr(z)) + e * 0x1.cf79abc9e3b3ap-40);
  y = e * 0x1.62e42fefa0000p-1 - (y - f);
  y = @sel(x == 0.0, @bc(-__builtin_inf()), y);
  y = @sel(x < 0.0, @bc(__builtin_nan("")), y);
  return @sel(x < __builtin_inf(), y, x);
}
