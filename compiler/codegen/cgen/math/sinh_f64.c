@static @V @name(@V x) {
  @V a = @abs(x), e = @expm1(@min(@bc(40.0), a)), h = @exp(0.5 * a);
  @V y = @sel(a < 30.0, 0.5 * (e + e / (e + 1.0)), 0.5 * h * h);
  return @copysign(y, x);
}
