@static @V @name(@V x) {
  @V a = @min(@bc(22.0), @abs(x)), t = @expm1(2.0 * a);
  return @copysign(t / (t + 2.0), x);
}
