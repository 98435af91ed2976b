@static @V @name(@V x) {
  @V rest;
  @I n;
  @V r = @trig(x, &rest, &n);
  @V y = @sel((n & 1) != 0, @sinpoly(r, rest), @cospoly(r, rest));
  return (@V)((@I)y ^ (((n + 1) & 2) << 62));
}
