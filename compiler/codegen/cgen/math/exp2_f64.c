/* 2^x = 2^k e^((x-k) ln 2). */
@static @V @name(@V x) {
  x = @min(@bc(1025.0), @max(@bc(-1076.0), x));
  @V t = x + 0x1.8p52, k = t - 0x1.8p52;
  @V r = (x - k) * 0x1.62e42fefa39efp-1;
  @V y = @expq(r) * r * r + r + 1.0;
  @V u = k * 0.5 + 0x1.8p52;
  @I i = (@I)t - 0x4338000000000000ll, h = (@I)u - 0x4338000000000000ll;
  return y * (@V)((h + 1023) << 52) * (@V)((i - h + 1023) << 52);
}
