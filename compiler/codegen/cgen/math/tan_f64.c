@static @V @name(@V x) {
  @V rest;
  @I n;
  @V r = @trig(x, &rest, &n), s = @sinpoly(r, rest), c = @cospoly(r, rest);
  @I odd = (n & 1) != 0;
  @V y = @sel(odd, -c, s) / @sel(odd, s, c);
  return @sel(x == 0.0, x, y);
}
