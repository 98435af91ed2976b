@static @V @name(@V x) {
  @V a = @abs(x), h = @exp(0.5 * a), e = @exp(@min(@bc(40.0), a));
  return @sel(a < 30.0, 0.5 * e + 0.5 / e, 0.5 * h * h);
}
