@static @V @name(@V x) {
  /* The integer part of the logarithm is exact. */
  @I tiny = x < 0x1p-1022;
  @U b = (@U)(@I)@sel(tiny, x * 0x1p54, x) - 0x3fe6a09e667f3bcdull;
  @U w = (b + (1024ull << 52)) >> 52;
  @V m = (@V)(b - ((w - 1024) << 52) + 0x3fe6a09e667f3bcdull);
  @I k = (@I)w - 1024 - (tiny & 54);
  @V e = (@V)(k + 0x4338000000000000ll) - 0x1.8p52;
  @V y = @log(m) * 0x1.71547652b82fep+0 + e;
  return @sel((x > 0.0) & (x < __builtin_inf()), y, @log(x));
}
