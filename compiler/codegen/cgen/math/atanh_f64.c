@static @V @name(@V x) {
  @V a = @abs(x);
  return @copysign(0.5 * @log1p(2.0 * a / (1.0 - a)), x);
}
