/* 2^k (e^r - 1) + (2^k - 1); large results are exp. */
@static @V @name(@V x) {
  @V c = @min(@bc(40.0), @max(@bc(-40.0), x));
  @V t = c * 0x1.71547652b82fep+0 + 0x1.8p52, k = t - 0x1.8p52;
  @V r = c - k * 0x1.62e42fefa0000p-1;
  @V l = k * 0x1.cf79abc9e3b3ap-40, s = r - l, e = (r - s) - l;
  @I i = (@I)t - 0x4338000000000000ll;
  @V two = (@V)((i + 1023) << 52);
  @V y = two * s + (two * (@expq(s) * s * s + e) + (two - 1.0));
  y = @sel(k == 0.0, @expq(s) * s * s + e + s, y);
  y = @sel(x == 0.0, x, y);
  return @sel(x > 40.0, @exp(x), y);
}
