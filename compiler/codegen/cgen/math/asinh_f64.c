@static @V @name(@V x) {
  @V a = @abs(x), c = @min(@bc(0x1p28), a), s = c * c;
  @V y = @sel(a < 0x1p28, @log1p(c + s / (1.0 + @sqrt(1.0 + s))), @log(a) + 0x1.62e42fefa39efp-1);
  return @copysign(y, x);
}
