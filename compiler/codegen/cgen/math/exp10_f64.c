/* 10^x = 2^k e^((x - k log10(2)) ln 10). */
@static @V @name(@V x) {
  x = @min(@bc(309.0), @max(@bc(-324.0), x));
  @V t = x * 0x1.a934f0979a371p+1 + 0x1.8p52, k = t - 0x1.8p52;
  @V d = x - k * 0x1.34413509f0000p-2 - k * 0x1.e7fbcc47c4acdp-40;
  @V r = d * 0x1.26bb1bbb55516p+1;
  @V y = @expq(r) * r * r + r + 1.0;
  @V u = k * 0.5 + 0x1.8p52;
  @I i = (@I)t - 0x4338000000000000ll, h = (@I)u - 0x4338000000000000ll;
  return y * (@V)((h + 1023) << 52) * (@V)((i - h + 1023) << 52);
}
