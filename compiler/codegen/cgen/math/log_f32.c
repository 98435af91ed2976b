/* x = 2^k m with m between sqrt(1/2) and sqrt(2); log(m) = f - f^2/2 + f^3 q(f)
 * with f = m - 1. */
@static @V @name(@V x) {
  @I tiny = x < 0x1p-126f;
  @I b = (@I)@sel(tiny, x * 0x1p23f, x) - 0x3f3504f3, k = b >> 23;
  @V f = (@V)(b - (k << 23) + 0x3f3504f3) - 1.0f;
  k -= tiny & 23;
  @V e = __builtin_convertvector(k, @V), z = f * f;
  @V q = @bc(0.0697161183f);
  q = q * f - 0.114797339f;
  q = q * f + 0.116854198f;
  q = q * f - 0.124256872f;
  q = q * f + 0.142490581f;
  q = q * f - 0.166678026f;
  q = q * f + 0.200007156f;
  q = q * f - 0.24999997f;
  q = q * f + 0.333333313f;
  @V y = q * f * z + e * 0x1.7f7d1cp-20f;
  y = f + (y - 0.5f * z) + e * 0x1.62e4p-1f;
  y = @sel(x == 0.0f, @bc(-__builtin_inff()), y);
  y = @sel(x < 0.0f, @bc(__builtin_nanf("")), y);
  return @sel(x < __builtin_inff(), y, x);
}
