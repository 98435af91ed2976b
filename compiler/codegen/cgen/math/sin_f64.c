@static @V @name(@V x) {
  @V rest;
  @I n;
  @V r = @trig(x, &rest, &n);
  @V y = @sel((n & 1) != 0, @cospoly(r, rest), @sinpoly(r, rest));
  y = (@V)((@I)y ^ ((n & 2) << 62));
  return @sel(x == 0.0, x, y);
}
