@static @V @name(@V x) {
  @V t = @min(@bc(0x1p28), x) - 1.0;
  @V y = @sel(x < 0x1p28, @log1p(t + @sqrt(t * (t + 2.0))), @log(x) + 0x1.62e42fefa39efp-1);
  return @sel(x < 1.0, @bc(__builtin_nan("")), y);
}
