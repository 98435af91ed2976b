/* e^x = 2^k e^r with k = x log2(e) rounded and r within ln(2)/2; the scale goes
 * on in two factors, so that overflow and subnormal results come out right. Their
 * exponents add up to k + 254, which stands in the last bits of t; what else is in
 * them leaves by the shifts. */
@static @V @name(@V x) {
  x = @min(@bc(89.0f), @max(@bc(-104.0f), x));
  @V t = x * 0x1.715476p+0f + 0x1.8001fcp23f, k = t - 0x1.8001fcp23f;
  @V r = x - k * 0x1.62e4p-1f - k * 0x1.7f7d1cp-20f;
  @V q = @bc(0.00139269268f);
  q = q * r + 0.00836377405f;
  q = q * r + 0.0416665487f;
  q = q * r + 0.166665733f;
  q = q * r + 0.5f;
  @V y = q * r * r + r + 1.0f;
  @I i = (@I)t, h = i >> 1;
  return y * (@V)(h << 23) * (@V)((i - h) << 23);
}
