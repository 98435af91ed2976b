@static @V @name(@V y, @V x) {
  @V a = @abs(y), b = @abs(x), q = a / b;
  q = @sel(a == 0.0, @sel(b == 0.0, @bc(0.0), q), q);
  q = @sel((a == __builtin_inf()) & (b == __builtin_inf()), @bc(1.0), q);
  @V r = @atan(q);
  r = @sel((@I)x < 0, 0x1.921fb54442d18p+1 - (r - 0x1.1a62633145c07p-53), r);
  return @sel((x == x) & (y == y), @copysign(r, y), x + y);
}
