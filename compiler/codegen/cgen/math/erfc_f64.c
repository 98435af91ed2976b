@static @V @name(@V x) {
  @V a = @abs(x);
  @V far = @erfc_tail(@min(@bc(28.0), @max(@bc(1.0), a)));
  far = @sel(x < 0.0, 2.0 - far, far);
  @V y = @sel(a < 0.5, 1.0 - @erf(x), far);
  /* Between one half and 1 the complement is taken of the polynomial too. */
  y = @sel((a >= 0.5) & (a < 1.0), 1.0 - @erf(x), y);
  return @sel(x == x, y, x);
}
